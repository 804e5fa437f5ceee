/** The runtime of a site. Other CMS than WordPress need not run on PHP. */
export type Runtime = { name: string; version: string };

/** The agent reports the version of Node.js as `php_version`, because the protocol has only this field. */
const NODE_VERSION = /^node-(.+)$/;

export function parseRuntime(phpVersion: string): Runtime {
  const [, version] = NODE_VERSION.exec(phpVersion) ?? [];
  return version ? { name: 'Node', version } : { name: 'PHP', version: phpVersion };
}

/** Screens hide what only WordPress has from sites with another runtime. The Steward plugin for WordPress runs on PHP. */
export const isWordPress = ({ php_version }: { php_version: string }): boolean =>
  parseRuntime(php_version).name === 'PHP';

/** For a column that is named "PHP": `8.3.11`, or `Node 24.1.0`. */
export function describeRuntimeVersion(phpVersion: string): string {
  const { name, version } = parseRuntime(phpVersion);
  return name === 'PHP' ? version : `${name} ${version}`;
}
