export type PluginOptions = {
  /** Path below wp-content/plugins; default `<name>/<name>.php`. */
  file?: string;
  /** The slugs of the required plugins. */
  requires?: string;
  requiresPhp?: string;
  requiresWordPress?: string;
  /** PHP code after the header comment. */
  body?: string;
  /** More files, by path below the plugin folder. */
  files?: Record<string, string>;
};

export type ThemeOptions = {
  /** PHP code for functions.php. */
  body?: string;
  /** More files, by path below the theme folder. They replace those of the fixture. */
  files?: Record<string, string>;
};

/** Returns file contents by path below wp-content/plugins. */
export function createPluginFiles(
  name: string,
  version: string,
  { file = `${name}/${name}.php`, body = '', files = {}, ...requirements }: PluginOptions,
): Record<string, string> {
  const headers = {
    'Plugin Name': name,
    Version: version,
    'Requires Plugins': requirements.requires,
    'Requires PHP': requirements.requiresPhp,
    'Requires at least': requirements.requiresWordPress,
  };
  const lines = Object.entries(headers).filter(([, value]) => value);
  const comment = lines.map(([header, value]) => ` * ${header}: ${value}\n`).join('');
  const extraFiles = Object.entries(files).map(([path, content]) => [`${name}/${path}`, content]);
  return { [file]: `<?php\n/**\n${comment} */\n${body}\n`, ...Object.fromEntries(extraFiles) };
}

const INDEX_PHP = `<!DOCTYPE html>
<html <?php language_attributes(); ?>>
<head><?php wp_head(); ?></head>
<body <?php body_class(); ?>><p><?php bloginfo( 'name' ); ?></p><?php wp_footer(); ?></body>
</html>
`;

/** Returns file contents by path below wp-content/themes. */
export function createThemeFiles(
  slug: string,
  version: string,
  { body, files = {} }: ThemeOptions,
): Record<string, string> {
  return {
    [`${slug}/style.css`]: `/*\nTheme Name: ${slug}\nVersion: ${version}\n*/\n`,
    [`${slug}/index.php`]: INDEX_PHP,
    ...(body === undefined ? {} : { [`${slug}/functions.php`]: `<?php\n${body}\n` }),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${slug}/${path}`, text])),
  };
}
