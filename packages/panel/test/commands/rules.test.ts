import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward', () => {
  const { steward, json } = useCommandLine();

  it('rule add, list and delete', async () => {
    const added = await json('rule', 'add', '--type', 'plugin', '--wait', '7', '--note', 'Calm.');
    expect(added).toMatchObject({ scope: 'fleet', item_type: 'plugin', days: 7, note: 'Calm.' });
    const { stdout } = await steward('rule', 'list');
    expect(stdout).toContain(
      'Hold new versions of all plugins on all sites for 7 days after they first appeared in the fleet.',
    );
    await steward('rule', 'delete', String(added.id));
    expect(await json('rule', 'list')).toEqual([]);
    expectFailure(await steward('rule', 'delete', String(added.id)), /There is no such rule/);
  });

  it('rule add with a recent backup', async () => {
    const added = await json('rule', 'add', '--type', 'core', '--backup', '24');
    expect(added).toMatchObject({ aspect: 'backup', hours: 24 });
    expect((await steward('rule', 'list')).stdout).toContain(
      'Hold updates of WordPress core on all sites unless the site has a backup from the last 24 hours.',
    );
    await steward('rule', 'delete', String(added.id));
  });

  it('rule add with a restore of the saved version', async () => {
    const added = await json('rule', 'add', '--restore', 'on');
    expect(added).toMatchObject({ aspect: 'restore', enabled: true });
    expect((await steward('rule', 'list')).stdout).toContain(
      'Restore the saved version of all plugins and themes on all sites if an update causes trouble.',
    );
    await steward('rule', 'delete', String(added.id));
  });

  it.each<[string, string[], RegExp]>([
    ['too many days', ['--wait', '400'], /from 0 to 365/],
    ['too many hours', ['--backup', '9000'], /from 0 to 8760/],
    ['two effects', ['--wait', '7', '--level', 'all'], /exactly one of/],
    ['a pin as a level', ['--level', 'pin'], /"never", "patch", "minor" or "all"/],
    [
      'a version of 10,000 characters',
      ['--ignore', 'x'.repeat(10_000), '--type', 'core'],
      /1 to 64 characters/,
    ],
    ['a slug without a type', ['--slug', 'none/none.php', '--wait', '7'], /--type/],
    ['an unknown tag', ['--tag', 'nothing', '--wait', '7'], /No site has this tag/],
    [
      'an unknown slug',
      ['--type', 'plugin', '--slug', 'none/none.php', '--wait', '7'],
      /None of your sites has/,
    ],
  ])('rule add refuses %s', async (_what, options, message) => {
    expectFailure(await steward('rule', 'add', ...options), message);
  });

  it('quarantine add and lift need a reason and known software', async () => {
    const version = ['plugin', 'none/none.php', '2.0'];
    expectFailure(await steward('quarantine', 'add', ...version), /--reason/);
    const add = await steward('quarantine', 'add', ...version, '--reason', 'White screen.');
    expectFailure(add, /None of your sites has/);
    expectFailure(await steward('quarantine', 'lift', '7', '--reason', 'Fixed.'), /no such/);
    expect(await json('quarantine', 'list')).toEqual([]);
  });
});
