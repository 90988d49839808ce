export const getServerSideProps = () => ({ props: { heading: "Thanks" } });
export default function Page({ heading }) {
  return <h1>{heading}</h1>;
}
