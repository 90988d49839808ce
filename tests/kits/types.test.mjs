// The types of kits/js: an app that follows them compiles, a slip does not, and they say what the code and the API's document say.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";
import * as kit from "../../kits/js/src/index.js";
import { inRoot } from "../../scripts/common.mjs";

const APP = inRoot("tests", "kits", "app.ts");
const TYPES = inRoot("kits", "js", "src", "index.d.ts");
const OPTIONS = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  types: [],
};

/** Compiles a file that is not there, with this text. */
function compile(text) {
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === APP || fileExists(name);
  host.getSourceFile = (name, target, ...rest) =>
    name === APP ? ts.createSourceFile(name, text, target, true) : getSourceFile(name, target, ...rest);
  return ts.createProgram([APP], OPTIONS, host);
}

const complaints = (text) => ts.getPreEmitDiagnostics(compile(text)).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));

const BEGIN = `import { Baton, Over, Refused, type Status } from "../../kits/js/src/index.js";
let kept = "";
const baton = new Baton({ url: "https://tickets.example.com", store: { get: async () => kept, set: (text) => { kept = text; } } });
`;

test("an app that follows the types compiles", () => {
  assert.deepEqual(
    complaints(`${BEGIN}
    const stop = baton.on("number", (number, lane) => console.log(number.toFixed(), lane?.toUpperCase()));
    baton.on("ahead", (ahead) => ahead + 1);
    baton.on("over", (reason) => reason === "sold_out");
    baton.on("status", (status: Status) => status.lane?.better === true && status.hall);
    try {
      const status = await baton.enter("onsale", { signal: AbortSignal.timeout(1_000) });
      const within: true = status.in;
      const answer: Response = await baton.fetch("onsale", "/buy/", { method: "POST" });
    } catch (error) {
      if (error instanceof Over) error.reason satisfies string | undefined;
      if (error instanceof Refused) error.status satisfies number;
    }
    stop();
    await baton.leave("onsale");
    export {};`),
    [],
  );
});

for (const [slip, line, says] of [
  ["no address", "new Baton({});", /'url' is missing/],
  ["an event that there is not", 'baton.on("numbers", () => {});', /"numbers"' is not assignable/],
  ["a listener of something else", 'baton.on("number", (number: string) => number);', /'number' is not assignable to type 'string'/],
  ["a state that there is not", 'baton.on("status", ({ state }) => state === "waits");', /no overlap/],
  ["a number that may be missing", 'baton.on("status", ({ ahead }) => ahead + 1);', /possibly 'undefined'/],
  ["a place that was not awaited", 'baton.enter("onsale").in;', /does not exist on type 'Promise/],
]) {
  test(`a slip is seen: ${slip}`, () => {
    const said = complaints(`${BEGIN}${line}\nexport {};`);
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0], says);
  });
}

/** The type of this name in the kit's types, and what it has. */
function declared(name) {
  const program = compile(BEGIN);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(TYPES));
  const symbol = checker.getExportsOfModule(module).find((each) => each.name === name);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return {
    checker,
    type,
    names: checker
      .getPropertiesOfType(type)
      .map((property) => property.name)
      .sort(),
  };
}

test("what the types declare is what the kit exports", () => {
  const classes = [...readFileSync(TYPES, "utf8").matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(classes.sort(), Object.keys(kit).sort());
  const methods = Object.getOwnPropertyNames(kit.Baton.prototype).filter((name) => name !== "constructor");
  assert.deepEqual(declared("Baton").names, methods.sort());
});

test("a status has what the API's document says, and the same words", () => {
  const { components } = JSON.parse(readFileSync(inRoot("src", "control", "openapi", "base.json"), "utf8"));
  const { Status } = components.schemas;
  const { checker, type, names } = declared("Status");
  // The kit keeps credentials to itself.
  assert.deepEqual(
    names,
    Object.keys(Status.properties)
      .filter((name) => name !== "credentials")
      .sort(),
  );
  for (const [name, { enum: words }] of Object.entries(Status.properties)) {
    const property = type.getProperty(name);
    if (!property) continue;
    assert.equal(Boolean(property.flags & ts.SymbolFlags.Optional), !Status.required.includes(name), `${name} is optional in one of the two`);
    if (!words) continue;
    const said = checker.getNonNullableType(checker.getTypeOfSymbol(property)).types.map(({ value }) => value);
    assert.deepEqual(said.sort(), [...words].sort(), name);
  }
});
