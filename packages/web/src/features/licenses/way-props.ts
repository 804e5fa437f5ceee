/** The properties of each way to connect a site. */
export type WayProps = {
  licenseId: number;
  /** The address that sites use. */
  panelUrl: string;
};
