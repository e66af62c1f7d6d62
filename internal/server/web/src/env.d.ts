declare module "*.css";
declare module "*.worker" {
  const url: string;
  export default url;
}
