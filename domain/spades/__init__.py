"""The game of Spades: pure rules, with time and chance entering only inside commands."""
