import { Links, Meta, Outlet, Scripts } from "react-router";
export default function Root() {
  return <html lang="en"><head><Meta /><Links /></head><body><main id="swup"><Outlet /></main><Scripts /></body></html>;
}
