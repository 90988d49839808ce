// The pictures of pages in a file of the house: name -> bytes as base64, so that a file brings to another deployment whatever its pages
// show. A picture is named by what it is.

import { UserError } from "../common.mjs";

const ADDRESS = /^\/__baton\/images\/([\w-]+\.(png|jpg|webp))$/;
const TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };

/** The pictures that rooms and brands show, by name. */
function shownBy({ rooms = {}, brands = {} }) {
  const tables = [...Object.values(rooms), ...Object.values(brands)].filter(Boolean);
  const names = tables.map(({ page_logo: logo }) => ADDRESS.exec(logo ?? "")?.[1]).filter(Boolean);
  return [...new Set(names)].sort();
}

/** Those pictures, for the file. One that the house has lost is left out. */
export async function picturesOf(house, file) {
  const read = async (name) => [name, (await house.picture(name))?.toString("base64")];
  const all = await Promise.all(shownBy(file).map(read));
  return Object.fromEntries(all.filter(([, bytes]) => bytes !== undefined));
}

/** What is wrong with the pictures of a file; `at(path)` names the place. */
export function checkPictures(images, at) {
  for (const [name, bytes] of Object.entries(images)) {
    const place = at(`images.${name}`);
    if (!ADDRESS.test(`/__baton/images/${name}`)) throw new UserError(`${place}: "${name}" is no name of a picture. npm run house -- export writes them.`);
    if (typeof bytes !== "string" || Buffer.from(bytes, "base64").toString("base64") !== bytes) throw new UserError(`${place}: the picture ${name} is not base64. Take it as npm run house -- export wrote it.`);
  }
}

/** The pictures of a file that its pages show and this house has not: `{ name, bytes, rooms }`, the rooms that show each. */
export async function newTo(house, { images = {}, ...file }) {
  const brought = shownBy(file).filter((name) => images[name] !== undefined);
  if (brought.length === 0) return [];
  const kept = new Set((await house.pictures()).images.map(({ name }) => name));
  const tables = [...Object.entries(file.rooms ?? {}), ...Object.entries(file.brands ?? {})];
  const roomsOf = (name) => [...new Set(tables.filter(([, table]) => shows(table, name)).map(([room]) => room))];
  return brought.filter((name) => !kept.has(name)).map((name) => ({ name, bytes: Buffer.from(images[name], "base64"), rooms: roomsOf(name) }));
}

const shows = (table, name) => table?.page_logo === `/__baton/images/${name}`;

/** The file as it can be planned before the house has these pictures: it refuses a page that shows what it has not. */
export function without(file, pictures) {
  const bare = (table) => (pictures.some(({ name }) => shows(table, name)) ? Object.fromEntries(Object.entries(table).filter(([key]) => key !== "page_logo")) : table);
  const each = (tables) => Object.fromEntries(Object.entries(tables).map(([room, table]) => [room, bare(table)]));
  return { ...file, rooms: each(file.rooms), ...(file.brands && { brands: each(file.brands) }) };
}

/** Gives them to the house. One that is another than its name says is refused. */
export async function bring(house, pictures) {
  for (const { name, bytes } of pictures) {
    const { name: kept } = await house.keepPicture(bytes, TYPES[ADDRESS.exec(`/__baton/images/${name}`)[2]]);
    if (kept !== name) throw new UserError(`The picture ${name} is not what its name says: its bytes are ${kept}. Nothing else was done. Export it again.`);
  }
}
