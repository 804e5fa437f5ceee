/** The properties of each way to connect a site. */
export type WayProps = {
  licenseId: number;
  /** The address that sites use. */
  panelUrl: string;
  /** Called when the user has a zip, a command or a code to connect a site with. */
  onPrepared?: (() => void) | undefined;
};
