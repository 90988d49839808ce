// What browsers have and TypeScript's own list of them lacks.

interface Document {
  /** Whether nobody sees the page yet: Chromium makes it ahead of a click. */
  readonly prerendering?: boolean;
}

interface PerformanceEntry {
  /** Of a navigation. */
  readonly responseStart?: number;
  readonly serverTiming?: readonly { readonly name: string; readonly description: string }[];
}

/** Events that a page hears by a name which is no constant. */
interface Event {
  readonly metaKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly shiftKey?: boolean;
  readonly persisted?: boolean;
  readonly detail?: any;
}

/** What the page hangs on its own socket. */
interface WebSocket {
  /** Asks for a sign of life, and closes the socket that gives none for so many ms. */
  ping?(patienceMs: number): void;
  /** The timer of its pings. */
  pinger?: ReturnType<typeof setInterval>;
}

/** A location is taken where an address is. */
interface Location extends URL {}

/** Whatever fires an event here is a node of the page. */
interface EventTarget {
  readonly localName?: string;
  readonly dataset?: DOMStringMap;
  /** Of a `details`, which alone is asked. */
  open?: boolean;
  closest?(selectors: string): any;
}

/** What stands at a place of our own pages is known to whoever wrote the page, and not to TypeScript. */
interface Document {
  getElementById(id: string): any;
  readonly activeElement: any;
}
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
  readonly firstElementChild: any;
}

/** Modules that the build makes of Rust. */
declare module "baton-advice";
declare module "baton-report";
