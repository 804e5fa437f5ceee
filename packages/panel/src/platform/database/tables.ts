/** Only the platform writes these tables. */
export type PlatformTables = {
  panel_settings: { name: string; value: string };
};
