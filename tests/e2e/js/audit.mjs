// Holds a server to "GraphQL over HTTP" by the audits of graphql-http; prints what each came to.
import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
for (const { id, name, status, reason } of results) {
  console.log(JSON.stringify({ id, name, status, reason: status === "ok" ? "" : reason }));
}
