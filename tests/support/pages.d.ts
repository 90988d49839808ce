// What tests hang on a page that they look into.

interface Window {
  /** Whether the font of boxes is there, or why not. */
  boxes?: string;
  /** Whether the engine has drawn what the page is now. */
  drawn?: boolean;
  /** Marks a document, to tell it from the next one. */
  left?: number;
  /** Hears what the desk shows, with what the API told it. */
  sawDesk?(view: object): void;
}
