// Lists what a release is made of, in CycloneDX's form: each crate and package with its version, licence and hash. What ships is `required`, what
// only built it `excluded`. The sources are cargo's own account of its lock file, and npm's lock file.

/** The packages whose code ships: in the page, and in the commands of a release. */
const SHIPPED = ["uqr", "smol-toml", "tough-cookie", "tldts", "tldts-core"];

/** Returns the crates that `cargo tree --prefix none` lists, as "name version". */
export const inTree = (text) => new Set([...text.matchAll(/^([\w-]+) v(\S+)/gm)].map(([, name, version]) => `${name} ${version}`));

const licences = (expression) => (expression ? [{ expression: expression.replaceAll("/", " OR ") }] : []);

/** Returns Cargo.lock's checksums: "name version" → SHA-256. */
function checksums(lock) {
  return new Map(
    [...lock.matchAll(/name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]{64})"/g)].map(([, name, version, sum]) => [
      `${name} ${version}`,
      sum,
    ]),
  );
}

function crates(metadata, lock, ships) {
  const sums = checksums(lock);
  const ours = new Set(metadata.workspace_members);
  return metadata.packages
    .filter(({ id }) => !ours.has(id))
    .map(({ name, version, license }) => ({
      type: "library",
      name,
      version,
      purl: `pkg:cargo/${name}@${version}`,
      "bom-ref": `pkg:cargo/${name}@${version}`,
      scope: ships.has(`${name} ${version}`) ? "required" : "excluded",
      licenses: licences(license),
      hashes: [{ alg: "SHA-256", content: sums.get(`${name} ${version}`) }].filter(({ content }) => content),
    }));
}

function packages({ packages: locked }) {
  return Object.entries(locked)
    .filter(([at, { version, link }]) => at !== "" && version && !link)
    .map(([at, { version, license, integrity }]) => {
      const name = at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length);
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      return {
        type: "library",
        name,
        version,
        purl,
        "bom-ref": purl,
        scope: SHIPPED.includes(name) ? "required" : "excluded",
        licenses: licences(license),
        hashes: integrity ? [{ alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") }] : [],
      };
    });
}

/**
 * Returns the document. `metadata` is `cargo metadata`'s, `ships` has the crates that are in what ships (`inTree`), `lock` and `packageLock` are the
 * two lock files. The same input gives the same bytes.
 */
export function sbomOf({ version, atMs, metadata, lock, packageLock, ships }) {
  const all = new Map([...crates(metadata, lock, ships), ...packages(packageLock)].map((each) => [each["bom-ref"], each]));
  const components = [...all.values()].sort((one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(atMs).toISOString(),
      component: {
        type: "application",
        name: "baton",
        version,
        "bom-ref": `pkg:generic/baton@${version}`,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components,
  };
}
