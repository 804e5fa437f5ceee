import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const DISABLED = [
  ['exec', 'passthru', 'shell_exec', 'system', 'proc_open', 'popen', 'posix_kill', 'getmypid'],
  ['set_time_limit', 'gethostname', 'disk_free_space'],
  ['opcache_get_status', 'opcache_invalidate'],
].flat();

describe('a host that has disabled functions of PHP', () => {
  const wordpress = useUpdatedSite({
    php: { disable_functions: DISABLED.join(','), max_execution_time: '10' },
  });

  it('verifies an update, and nothing complains', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const { body } = await wordpress.act('update', file);
    expect(body).toEqual({ success: true, action: 'update', plugin: file });
    await expectQuiet(wordpress.site);
  });

  it('has a version that breaks a page put back, and the reason is told', async () => {
    const file = await wordpress.plugin('store');
    await wordpress.offerPlugin('store', {
      body: `add_action( 'wp_footer', function () { ${FATAL} } );`,
    });
    const { body } = await wordpress.act('update', file);
    expect(body.error).toMatch(/home page: .*this_function.* Version 1\.0 was put back\.$/);
  });
});
