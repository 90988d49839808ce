// Reads a WebAssembly module: which functions it has, how long each is, and to which path of Rust its name belongs. Pure.

const CODE = 10;
const IMPORT = 2;
const CUSTOM = 0;
/** The part of the section `name` that names functions. */
const FUNCTIONS = 1;
const IMPORTED_FUNCTION = 0;

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
    text() {
      const length = self.number();
      return Buffer.from(bytes.subarray(at, self.skip(length))).toString();
    },
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

/** Returns how many functions the module imports: they come before its own in the count. */
function importedFunctions(section) {
  let functions = 0;
  for (let left = section.number(); left > 0; left--) {
    section.text();
    section.text();
    const kind = section.byte();
    if (kind === IMPORTED_FUNCTION) {
      section.number();
      functions++;
    } else if (kind === 1) {
      section.byte();
      skipLimits(section);
    } else if (kind === 2) skipLimits(section);
    else section.skip(2);
  }
  return functions;
}

/**
 * Returns the functions of a module as `[{ name, bytes }]`; a function without a name is `?`.
 * Throws if the bytes are no module.
 */
export function namedFunctions(bytes) {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm") throw new Error("This is no WebAssembly module.");
  const all = reader(bytes, 8);
  const names = new Map();
  let imported = 0;
  const lengths = [];
  while (all.more()) {
    const id = all.byte();
    const section = all.part(all.number());
    if (id === IMPORT) imported = importedFunctions(section);
    if (id === CODE)
      for (let left = section.number(); left > 0; left--) {
        const length = section.number();
        lengths.push(length);
        section.skip(length);
      }
    if (id === CUSTOM && section.text() === "name")
      while (section.more()) {
        const kind = section.byte();
        const part = section.part(section.number());
        if (kind !== FUNCTIONS) continue;
        for (let left = part.number(); left > 0; left--) names.set(part.number(), part.text());
      }
  }
  return lengths.map((length, at) => ({ name: names.get(imported + at) ?? "?", bytes: length }));
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
