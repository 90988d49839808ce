// The pictures of pages in a file of the house: name -> bytes as base64, so that a file brings everything that its pages show to another deployment.
// A picture's name follows from its bytes.

import { UserError } from "../common.mjs";

const ADDRESS = /^\/__baton\/images\/([\w-]+\.(png|jpg|webp))$/;
const TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };

/** Returns the names of the pictures that rooms and brands show, sorted. */
function shownBy({ rooms = {}, brands = {} }) {
  const tables = [...Object.values(rooms), ...Object.values(brands)].filter(Boolean);
  const names = tables.map(({ page_logo: logo }) => ADDRESS.exec(logo ?? "")?.[1]).filter(Boolean);
  return [...new Set(names)].sort();
}

/** Resolves to those pictures, for the file. One that the house has lost is left out. */
export async function picturesOf(house, file) {
  const read = async (name) => [name, (await house.picture(name))?.toString("base64")];
  const all = await Promise.all(shownBy(file).map(read));
  return Object.fromEntries(all.filter(([, bytes]) => bytes !== undefined));
}

/** Throws if the pictures of a file are wrong; `at(path)` names the place. */
export function checkPictures(images, at) {
  for (const [name, bytes] of Object.entries(images)) {
    const place = at(`images.${name}`);
    if (!ADDRESS.test(`/__baton/images/${name}`))
      throw new UserError(`${place}: "${name}" is no name of a picture. npm run house -- export writes them.`);
    if (typeof bytes !== "string" || Buffer.from(bytes, "base64").toString("base64") !== bytes)
      throw new UserError(`${place}: the picture ${name} is not base64. Take it as npm run house -- export wrote it.`);
  }
}

/** Resolves to the pictures of a file that its pages show and this house lacks: `{ name, bytes, rooms }`; `rooms` are those that show it. */
export async function newTo(house, { images = {}, ...file }) {
  const brought = shownBy(file).filter((name) => images[name] !== undefined);
  if (brought.length === 0) return [];
  const kept = new Set((await house.pictures()).images.map(({ name }) => name));
  const tables = [...Object.entries(file.rooms ?? {}), ...Object.entries(file.brands ?? {})];
  const roomsOf = (name) => [...new Set(tables.filter(([, table]) => shows(table, name)).map(([room]) => room))];
  return brought.filter((name) => !kept.has(name)).map((name) => ({ name, bytes: Buffer.from(images[name], "base64"), rooms: roomsOf(name) }));
}

const shows = (table, name) => table?.page_logo === `/__baton/images/${name}`;

/** Returns the file as it can be planned before the house has these pictures. The house refuses a page that shows a picture that it lacks. */
export function without(file, pictures) {
  const bare = (table) =>
    pictures.some(({ name }) => shows(table, name)) ? Object.fromEntries(Object.entries(table).filter(([key]) => key !== "page_logo")) : table;
  const each = (tables) => Object.fromEntries(Object.entries(tables).map(([room, table]) => [room, bare(table)]));
  return { ...file, rooms: each(file.rooms), ...(file.brands && { brands: each(file.brands) }) };
}

/** Gives the pictures to the house. Throws if a picture is not the one that its name says. */
export async function bring(house, pictures) {
  for (const { name, bytes } of pictures) {
    const { name: kept } = await house.keepPicture(bytes, TYPES[ADDRESS.exec(`/__baton/images/${name}`)[2]]);
    if (kept !== name)
      throw new UserError(`The picture ${name} is not what its name says: its bytes are ${kept}. Nothing else was done. Export it again.`);
  }
}
