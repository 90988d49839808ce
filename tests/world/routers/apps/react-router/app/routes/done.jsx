export const loader = () => ({ heading: "Thanks" });
export default function Page({ loaderData }) {
  return <h1>{loaderData.heading}</h1>;
}
