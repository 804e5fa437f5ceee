/** What a site keeps about its license and its panel. The first two names are the protocol's. */
export type SiteOptions = {
  service_license_key: string | null;
  service_enabled_services: string[];
  service_panel_url: string | null;
  /** The address the license was activated for. */
  site_url: string | null;
  /** Given by the panel when the license was activated here. */
  activation_token: string | null;
  /** The panel's last verdict, and when it was given. Silence of the panel is no verdict. */
  license_valid: boolean | null;
  license_confirmed_at: string | null;
};

export const NO_OPTIONS: SiteOptions = {
  service_license_key: null,
  service_enabled_services: [],
  service_panel_url: null,
  site_url: null,
  activation_token: null,
  license_valid: null,
  license_confirmed_at: null,
};

export type OptionsStore = {
  read(): Promise<SiteOptions>;
  write(change: Partial<SiteOptions>): Promise<void>;
};

export const REMOTE_SERVICE = 'remote';
