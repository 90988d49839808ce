// An OpenAPI document as a judge of answers, and as a source of requests good and bad. Answers are held to it exactly: a
// field that it does not name is as wrong as one that is missing.

import assert from "node:assert/strict";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import fc from "fast-check";

/** With every object closed: in the document itself they are open, so that fields may be added. */
function closed(value) {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== "object") return value;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return parts.type === "object" && parts.properties && !("additionalProperties" in parts) ? { ...parts, additionalProperties: false } : parts;
}

const isDate = (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));

/** `judge(document)` → `{ check(path, method, answer), operations, schema(pointer) }`. */
export function judge(document) {
  const ajv = new Ajv({ strict: true, allErrors: true, multipleOfPrecision: 6, allowUnionTypes: true, formats: { "date-time": isDate } });
  for (const word of ["openapi", "info", "servers", "tags", "paths", "components"]) ajv.addKeyword(word);
  ajv.addSchema({ $id: "baton:api", components: closed(document.components) });
  const judges = new Map();
  const fits = (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"baton:api#/components');
    if (!judges.has(text)) judges.set(text, ajv.compile(closed(JSON.parse(text))));
    return judges.get(text);
  };
  const resolved = (part) =>
    part?.$ref
      ? part.$ref
          .slice(2)
          .split("/")
          .reduce((from, key) => from[key], document)
      : part;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

  /** Whether this is an answer that the document knows of: status, type, headers, body. Resolves to the body. */
  async function check(path, method, answer) {
    const what = `${method} ${path} → ${answer.status}`;
    const operation = document.paths[path]?.[method.toLowerCase()];
    const known = operation ? resolved(operation.responses[answer.status]) : answer.status === 405 && document.components.responses.E405;
    const text = answer.status === 101 ? "" : await answer.text();
    assert.ok(known, `${what} is not in the document: ${text.slice(0, 200)}`);
    for (const [name, header] of Object.entries(known.headers ?? {})) {
      const value = answer.headers.get(name);
      if (header.required || value !== null) assert.match(value ?? "", new RegExp(header.schema.pattern), `${what}: ${name}`);
    }
    if (!known.content) {
      assert.equal(text, "", `${what} has no body`);
      return undefined;
    }
    const type = answer.headers.get("content-type")?.split(";")[0];
    assert.ok(known.content[type], `${what}: ${type} is not in the document`);
    if (type !== "application/json") return text;
    const body = JSON.parse(text);
    const fit = fits(known.content[type].schema);
    assert.ok(fit(body), `${what}: ${ajv.errorsText(fit.errors)}\n${text.slice(0, 500)}`);
    return body;
  }
  return { check, operations, resolved, fits };
}

/** Values that a schema takes. */
export function good(schema) {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(good));
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: schema.minimum, max: schema.maximum });
    case "number":
      return fc.integer({ min: schema.minimum * 1_000, max: schema.maximum * 1_000 }).map((milli) => milli / 1_000);
    case "array":
      return fc.array(good(schema.items), { maxLength: schema.maxItems });
    case "string":
      if (schema.format === "date-time")
        return fc.date({ min: new Date("2026-01-01"), max: new Date("2099-01-01"), noInvalidDate: true }).map((date) => date.toISOString());
      // Made from the pattern: to wait for one by chance takes for ever.
      return (schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.string({ maxLength: schema.maxLength, unit: "grapheme" })).filter(
        (text) => [...text].length <= (schema.maxLength ?? Infinity),
      );
    case "object": {
      // Of any form: with a key that a room has, for a step of a schedule.
      if (!schema.properties) return fc.record({ permits: fc.integer({ min: 1, max: 100 }) }, { noNullPrototype: true });
      const parts = Object.entries(schema.properties).map(([key, part]) => [key, good(part)]);
      return fc.record(Object.fromEntries(parts), { requiredKeys: schema.required, noNullPrototype: true });
    }
    default:
      throw new Error(`no values of ${JSON.stringify(schema)} are made`);
  }
}

/** Values of any kind, most of which no schema here takes. */
export const anything = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeNat(),
  fc.string({ maxLength: 600 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.integer(), { maxKeys: 3 }),
);
