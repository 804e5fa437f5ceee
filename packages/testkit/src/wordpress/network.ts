import { type Constants, runPhp, type SiteFolder, writeConstants } from './site-folder.ts';
import { ADMIN } from './template.ts';

export const SECOND_SITE = 'second';

/** Converts a single site to a multisite network in subdirectories and adds a second site. */
export async function convertToNetwork(
  site: SiteFolder,
  url: string,
  path: string,
): Promise<Constants> {
  const { host } = new URL(url);
  await runPhp(
    site,
    url,
    `require ABSPATH . 'wp-admin/includes/upgrade.php';
    foreach ( $wpdb->tables( 'ms_global' ) as $table => $prefixed ) {
      $wpdb->$table = $prefixed;
    }
    install_network();
    populate_network( 1, '${host}', '${ADMIN.email}', 'Test bed', '${path}/', false );`,
  );
  const constants = {
    MULTISITE: true,
    SUBDOMAIN_INSTALL: false,
    DOMAIN_CURRENT_SITE: host,
    PATH_CURRENT_SITE: `${path}/`,
    SITE_ID_CURRENT_SITE: 1,
    BLOG_ID_CURRENT_SITE: 1,
  };
  await writeConstants(site, constants);
  // WordPress would remove the colon from a host with a port.
  await runPhp(
    site,
    url,
    `add_filter( 'sanitize_user', static fn( $clean, $raw ) => $raw, 10, 2 );
    $made = wp_insert_site( array(
      'domain' => '${host}', 'path' => '${path}/${SECOND_SITE}/', 'title' => 'Second', 'user_id' => 1,
    ) );
    is_wp_error( $made ) && trigger_error( $made->get_error_message(), E_USER_ERROR );`,
  );
  return constants;
}
