// Watches a table with graphql-sse, as web clients do, and prints the version of each update.
import { createClient } from "graphql-sse";

const [url, token, table, last] = process.argv.slice(2);
const client = createClient({ url, headers: { Authorization: `Bearer ${token}` } });
const updates = client.iterate({
  query: `subscription ($table: ID!) {
    tableEvents(tableId: $table, after: 0) { event { version } table { version hand } } }`,
  variables: { table },
});
for await (const { data, errors } of updates) {
  if (errors) throw new Error(JSON.stringify(errors));
  const { event, table: shown } = data.tableEvents;
  console.log(JSON.stringify({ version: event.version, hand: shown.hand }));
  if (event.version >= Number(last)) break;
}
client.dispose();
