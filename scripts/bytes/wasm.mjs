// Reads a WebAssembly module: which functions it has, how long each is, and to which path of Rust its name belongs. Gives them other names. Pure.

const CODE = 10;
const IMPORT = 2;
const CUSTOM = 0;
/** The part of the section `name` that names functions. */
const FUNCTIONS = 1;
const IMPORTED_FUNCTION = 0;
/** Kinds of an import that is a list of imports. */
const EACH_TYPED = 0x7f;
const TYPED_ONCE = 0x7e;

/** Reads numbers and texts from bytes, from `at` on. */
function reader(bytes, at = 0, end = bytes.length) {
  const self = {
    more: () => at < end,
    byte: () => bytes[at++],
    /** An unsigned number in LEB128. */
    number() {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = self.byte();
        value += (byte & 127) * shift;
        if (byte < 128) return value;
      }
    },
    skip: (count) => (at += count),
    bytes: (count) => bytes.subarray(at, self.skip(count)),
    text: () => Buffer.from(self.bytes(self.number())).toString(),
    /** A reader of the next `length` bytes, which are passed over. */
    part(length) {
      const from = at;
      return reader(bytes, from, self.skip(length));
    },
  };
  return self;
}

/** Passes over limits of a table or a memory: a flag, a least, perhaps a most. */
function skipLimits(of) {
  const hasMost = of.number() & 1;
  of.number();
  if (hasMost) of.number();
}

/** Passes over the type of an import. Returns whether it is a function. */
function isFunction(section, kind = section.number()) {
  if (kind === IMPORTED_FUNCTION) section.number();
  else if (kind === 1) {
    section.byte();
    skipLimits(section);
  } else if (kind === 2) skipLimits(section);
  else section.skip(2);
  return kind === IMPORTED_FUNCTION;
}

/** Returns how many functions the module imports: they come before its own in the count. */
function importedFunctions(section) {
  let functions = 0;
  for (let left = section.number(); left > 0; left--) {
    section.text();
    section.text();
    const kind = section.byte();
    // "Compact imports": the name of the module stands once, before a list of what is imported of it, with a type each or one for all.
    if (kind === EACH_TYPED)
      for (let more = section.number(); more > 0; more--) {
        section.text();
        functions += isFunction(section) ? 1 : 0;
      }
    else if (kind === TYPED_ONCE) {
      const are = isFunction(section);
      for (let more = section.number(); more > 0; more--) {
        section.text();
        functions += are ? 1 : 0;
      }
    } else functions += isFunction(section, kind) ? 1 : 0;
  }
  return functions;
}

/** Returns how many functions the module imports, the bodies of its own, and the names of either by index. Throws if the bytes are no module. */
function functionsOf(bytes) {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm") throw new Error("This is no WebAssembly module.");
  const all = reader(bytes, 8);
  const names = new Map();
  let imported = 0;
  const bodies = [];
  while (all.more()) {
    const id = all.byte();
    const section = all.part(all.number());
    if (id === IMPORT) imported = importedFunctions(section);
    if (id === CODE) for (let left = section.number(); left > 0; left--) bodies.push(section.bytes(section.number()));
    if (id === CUSTOM && section.text() === "name")
      while (section.more()) {
        const kind = section.byte();
        const part = section.part(section.number());
        if (kind !== FUNCTIONS) continue;
        for (let left = part.number(); left > 0; left--) names.set(part.number(), part.text());
      }
  }
  return { imported, bodies, names };
}

/** Returns the functions of a module as `[{ name, bytes }]`; a function without a name is `?`. Throws if the bytes are no module. */
export function namedFunctions(bytes) {
  const { imported, bodies, names } = functionsOf(bytes);
  return bodies.map(({ length }, at) => ({ name: names.get(imported + at) ?? "?", bytes: length }));
}

/** Returns the bodies of a module's own functions. Throws if the bytes are no module. */
export const functionBodies = (bytes) => functionsOf(bytes).bodies;

/** Writes a number below 2^28 in LEB128, in as many bytes as the largest of them takes: a reader takes either. */
const written = (number) => [(number & 127) | 128, ((number >> 7) & 127) | 128, ((number >> 14) & 127) | 128, number >> 21];

/** Returns a module that has no names with these for its own functions, in their order. */
export function withNames(bytes, names) {
  const { imported } = functionsOf(bytes);
  const named = names.map((name, at) => Buffer.from([...written(imported + at), ...written(name.length), ...Buffer.from(name, "latin1")]));
  const functions = Buffer.concat([Buffer.from(written(names.length)), ...named]);
  const content = Buffer.concat([Buffer.from([4, ...Buffer.from("name"), FUNCTIONS, ...written(functions.length)]), functions]);
  return Buffer.concat([bytes, Buffer.from([CUSTOM, ...written(content.length)]), content]);
}

const ESCAPES = { LT: "<", GT: ">", RF: "&", BP: "*", C: ",", SP: "@", LP: "(", RP: ")", u20: " ", u27: "'", u5b: "[", u5d: "]", u7b: "{", u7d: "}" };
const unescaped = (text) =>
  text
    .replace(/\$(\w+)\$/g, (whole, name) => ESCAPES[name] ?? whole)
    .replaceAll("..", "::")
    .replace(/^_(?=<)/, "");

/** Reads names with their lengths before them, as long as there are any: `4core3num` is `["core", "num"]`. */
function counted(text, separator = "") {
  const parts = [];
  for (let rest = text; ; ) {
    const length = /^\d+/.exec(rest)?.[0];
    if (length === undefined) return parts;
    const from = length.length + (rest[length.length] === separator ? 1 : 0);
    parts.push(rest.slice(from, from + Number(length)));
    rest = rest.slice(from + Number(length));
  }
}

/**
 * Returns the parts of a mangled name as they were written, or null if it is mangled in no way of Rust's. Of the newer way, in which the standard library
 * comes, it reads the first crate and the path behind it.
 */
function demangled(name) {
  if (name.startsWith("_ZN")) {
    // The last part is a hash.
    const parts = counted(name.slice(3)).slice(0, -1).map(unescaped);
    return parts.length > 0 ? parts : null;
  }
  const crate = /^_R.*?C(?:s[0-9A-Za-z]*_)(?=\d)/.exec(name)?.[0];
  return crate === undefined ? null : counted(name.slice(crate.length), "_");
}

/** Returns the path of a function of Rust, from its crate on: `["baton", "room", "line", "join"]`. `["other"]` for any other function. */
export function pathOf(name) {
  const parts = demangled(name);
  if (!parts) return ["other"];
  // A method of a trait is `<type as trait>::method`: it stands where its type does, or where the trait does if the type is nobody's.
  const written = /^<(.*)>$/.exec(parts[0])?.[1];
  if (written === undefined) return parts;
  const [of, trait = ""] = written.split(" as ");
  const path = (text) => /^(?:[&*(]|dyn |mut |const |')*([a-z_]\w*(?:::\w+)+)/.exec(text)?.[1].split("::");
  return path(of) ?? path(trait) ?? ["other"];
}

/** Returns `[{ name, bytes, functions }]`, the most bytes first. `group` makes of a name the parts of the path to which it counts. */
export function sharesOf(functions, group) {
  const shares = new Map();
  for (const { name, bytes } of functions) {
    const at = group(name).join("::");
    const share = shares.get(at) ?? { name: at, bytes: 0, functions: 0 };
    share.bytes += bytes;
    share.functions++;
    shares.set(at, share);
  }
  return [...shares.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}
