// What is made of the API's document (src/control/openapi), which has the table of operators' endpoints (src/control/endpoints): docs/openapi.json, which is served,
// the list in docs/api.md, and the desk's calls. Pure.

const PREFIX = "/__baton/admin/";

/** Returns the operators' endpoints of a document, in its order of paths: `{ method, path, operation }`. */
const endpoints = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes("operator"))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const lined = (fields, tab) =>
  Object.entries(fields)
    .map(([name, value]) => `${tab}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(",\n");

/** Returns the document as it is kept: each operation, schema and answer on a line of its own. */
export function kept(document) {
  const parts = { paths: document.paths, ...document.components };
  const shelf = (name, tab) => `${tab}${JSON.stringify(name)}: {\n${lined(parts[name], `${tab}  `)}\n${tab}}`;
  const head = Object.fromEntries(Object.entries(document).filter(([name]) => !["paths", "components"].includes(name)));
  const components = Object.keys(document.components)
    .map((name) => shelf(name, "    "))
    .join(",\n");
  return `{\n${lined(head, "  ")},\n${shelf("paths", "  ")},\n  "components": {\n${components}\n  }\n}\n`;
}

/** Returns the list for docs/api.md, a row for each endpoint. */
export function apiList(document) {
  const rows = endpoints(document).map(({ method, path, operation: { summary, description, "x-needs": needs } }) => {
    const said = [summary, description]
      .filter(Boolean)
      .map((text) => text.replace(/\.?$/, "."))
      .join(" ")
      .replaceAll("|", "\\|");
    return `| \`${method} ${path.replace("/__baton/admin/", "/")}\` | ${needs ? [needs.role, ...(needs.within === "all" ? ["all rooms"] : [])].join(", ") : "–"} | ${said} |`;
  });
  return ["| call | role | what it does |", "|---|---|---|", ...rows].join("\n");
}

/** Puts the list between its marks on a page. */
export const withList = (page, document) =>
  page.replace(/(<!-- endpoints -->\n)[^]*?(\n<!-- \/endpoints -->)/, (_, begin, end) => `${begin}\n${apiList(document)}\n${end}`);

/** Returns the module with the desk's calls: a function for each endpoint, whose name is the endpoint's. */
export function deskCalls(document) {
  const { parameters } = document.components;
  const named = ({ $ref }) => parameters[$ref.split("/").at(-1)];
  const calls = endpoints(document)
    .filter(({ path }) => path.startsWith(PREFIX) && path !== PREFIX)
    .map(({ method, path, operation }) => {
      const own = (operation.parameters ?? []).map(named);
      const parts = own.filter((each) => each.in === "path").map(({ name }) => name);
      const more = [
        operation.requestBody && "body",
        own.some((each) => each.in === "query") && "query",
        own.some((each) => each.name === "If-Match") && "seen",
      ].filter(Boolean);
      const isLines = Boolean(operation.responses[200]?.content?.["application/x-ndjson"]);
      const address = path.slice(PREFIX.length).replace(/\{/g, "${");
      const sent = [
        `"${method}"`,
        parts.length > 0 ? `\`${address}\`` : `"${address}"`,
        ...(more.length > 0 ? [`{ ${[...more, ...(isLines ? ["isLines: true"] : [])].join(", ")} }`] : []),
      ];
      return `/** ${operation.summary}. */\nexport const ${operation.operationId} = (${[...parts, ...more].join(", ")}) => send(${sent.join(", ")});`;
    });
  return `/* The operator's calls, made of their table by \`npm run docs\`: the values of the path in their order, then the body, the query as an object, and the
   revision that the operator saw. */

import { send } from "./send.js";

${calls.join("\n")}
`;
}
