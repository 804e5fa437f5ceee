import { join } from 'node:path';

export type WebServerOptions = {
  documentRoot: string;
  /** For configuration, sockets and logs. */
  folder: string;
  /** The path of WordPress below the document root: '' or for example '/shop'. */
  path: string;
  isMultisite: boolean;
  workers: number;
  /** The user that runs PHP. Default: the user that runs the tests. */
  user?: string | undefined;
  /** Lines for the nginx server block, such as a password or a redirect. */
  nginx?: string | undefined;
  /** PHP settings that differ from the defaults. */
  php?: Record<string, string> | undefined;
  /** Default: any free port. */
  port?: number | undefined;
};

const CLEAR_OPCACHE = join(import.meta.dirname, 'clear-opcache.php');
const RUN_PHP = join(import.meta.dirname, 'run-php.php');

export function fpmConfig({
  folder,
  socket,
  workers,
  user,
  php = {},
}: WebServerOptions & { socket: string }): string {
  const settings = Object.entries(php).map(
    ([name, value]) => `php_admin_value[${name}] = ${value}`,
  );
  return `[global]
error_log = /dev/stderr
log_limit = 8192
[site]
listen = ${socket}
${user ? `user = ${user}\ngroup = ${user}` : ''}
pm = ondemand
pm.max_children = ${workers}
pm.process_idle_timeout = 60s
pm.status_path = /-/status
catch_workers_output = yes
decorate_workers_output = no
php_value[error_log] = ${join(folder, 'php.log')}
php_flag[log_errors] = on
php_admin_value[upload_max_filesize] = 64M
${settings.join('\n')}
`;
}

/** Follows the WordPress documentation for a single site or a network in subdirectories. */
export function nginxConfig({
  folder,
  documentRoot,
  socket,
  path,
  port,
  isMultisite,
  nginx = '',
}: WebServerOptions & { port: number; socket: string }): string {
  const temporary = ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi'];
  const networkRules = `if (!-e $request_filename) {
      rewrite ^${path}/[_0-9a-zA-Z-]+(/wp-(?:content|admin|includes).*)$ ${path}$1 last;
      rewrite ^${path}/[_0-9a-zA-Z-]+(/[^/]+\\.php)$ ${path}$1 last;
    }`;
  return `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 512; }
http {
  access_log off;
  default_type application/octet-stream;
  types { text/html html; text/css css; application/javascript js; image/png png; image/svg+xml svg; }
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    root ${documentRoot};
    index index.php;
    client_max_body_size 64m;
    # The default of 60 s would abort a slow update.
    fastcgi_read_timeout 900s;
    location = /-/ready { return 204; }
    location = /-/status {
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_NAME /-/status;
      fastcgi_param SCRIPT_FILENAME /-/status;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD GET;
    }
    location = /-/clear-opcache {
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME ${CLEAR_OPCACHE};
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD GET;
    }
    location = /-/run-php {
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME ${RUN_PHP};
      fastcgi_param REQUEST_METHOD POST;
      fastcgi_param CONTENT_LENGTH $content_length;
    }
    ${nginx}
    ${isMultisite ? networkRules : ''}
    location / { try_files $uri $uri/ ${path}/index.php?$args; }
    location ~ \\.php$ {
      try_files $uri =404;
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param SCRIPT_NAME $fastcgi_script_name;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param DOCUMENT_URI $document_uri;
      fastcgi_param DOCUMENT_ROOT $document_root;
      fastcgi_param SERVER_PROTOCOL $server_protocol;
      fastcgi_param REQUEST_SCHEME $scheme;
      fastcgi_param GATEWAY_INTERFACE CGI/1.1;
      fastcgi_param SERVER_SOFTWARE nginx/$nginx_version;
      fastcgi_param REMOTE_ADDR $remote_addr;
      fastcgi_param REMOTE_PORT $remote_port;
      fastcgi_param SERVER_ADDR $server_addr;
      fastcgi_param SERVER_PORT $server_port;
      fastcgi_param SERVER_NAME $host;
      fastcgi_param REDIRECT_STATUS 200;
    }
  }
}
`;
}
