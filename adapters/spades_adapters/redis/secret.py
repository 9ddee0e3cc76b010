"""The secret that signs tokens, shared by every replica where nobody has set one."""

from redis.exceptions import RedisError

from spades_adapters.redis.connect import Clients
from spades_service.ports import StoreUnavailable

KEY = "spades:secret"


async def shared_secret(clients: Clients, fresh: bytes) -> bytes:
    """The secret that the store holds; `fresh` becomes it where there is none yet.

    Raises StoreUnavailable.
    """
    try:
        await clients.writer.set(KEY, fresh.hex(), nx=True)
        held = await clients.writer.get(KEY)
    except RedisError as error:
        raise StoreUnavailable("the store does not answer") from error
    return bytes.fromhex(held.decode() if isinstance(held, bytes) else str(held))
