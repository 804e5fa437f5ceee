import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

const WATCHDOG = join(import.meta.dirname, '../steward/watchdog');
const UNPRIVILEGED_UID = 65_534;
/** Data files print nothing when a client requests them. */
const FIRST_LINE = '<?php exit; ?>\n';

/** Creates a site with an interrupted update: the old version in the backup, half of the new one in place. */
function createInterruptedSite(change: { host?: string; started?: number } = {}) {
  const root = temporaryFolder();
  // Copy the watchdog, because other users may not have access to the project folder.
  cpSync(WATCHDOG, join(root, 'watchdog'), { recursive: true });
  const watchdog = join(root, 'watchdog/load.php');
  const constants = `define( 'ABSPATH', '${root}/' ); define( 'WP_CONTENT_DIR', '${root}/wp-content' ); define( 'AUTH_KEY', 'secret' );`;
  const php = (code: string, user?: number) =>
    spawnSync('php', ['-r', `${constants} ${code}`], {
      encoding: 'utf8',
      ...(user !== undefined && process.getuid?.() === 0 && { uid: user, gid: user }),
    });
  mkdirSync(join(root, 'wp-content/plugins/shop'), { recursive: true });
  writeFileSync(join(root, 'wp-content/plugins/shop/half.php'), 'new');
  const folder = php(`require '${watchdog}'; echo Steward\\Watchdog\\State::folder();`).stdout;
  mkdirSync(join(folder, 'previous-1'), { recursive: true });
  writeFileSync(join(folder, 'previous-1/shop.php'), 'old');
  const path = join(root, 'wp-content/plugins/shop');
  const item = { label: 'shop/shop.php', path, new_path: path, backup: join(folder, 'previous-1') };
  const journal = {
    started: Math.floor(Date.now() / 1000),
    host: hostname(),
    items: [item],
    ...change,
  };
  const file = join(folder, 'in-flight.php');
  writeFileSync(file, FIRST_LINE + JSON.stringify(journal));
  return {
    root,
    folder,
    constants,
    run: (code: string) => php(`require '${watchdog}'; ${code}`),
    visit: (user?: number) =>
      php(`require '${watchdog}'; Steward\\Watchdog\\Undo::restore_interrupted();`, user),
    /** Moves the time of the next try this many seconds into the past. */
    advanceTime(seconds: number) {
      const journal = JSON.parse(readFileSync(file, 'utf8').slice(FIRST_LINE.length));
      journal.try_again_at -= seconds;
      writeFileSync(file, FIRST_LINE + JSON.stringify(journal));
    },
    hasJournal: () => existsSync(file),
    plugin: () => readdirSync(join(root, 'wp-content/plugins/shop')),
  };
}

describe('watchdog', () => {
  it('restores the complete previous version and leaves no files behind', () => {
    const site = createInterruptedSite();
    expect(site.visit().stderr).toContain('restored its previous version');
    expect([site.plugin(), site.hasJournal()]).toEqual([['shop.php'], false]);
    expect(readdirSync(join(site.root, 'wp-content/plugins'))).toEqual(['shop']);
    expect(readdirSync(site.folder)).toEqual(['lock']);
  });

  it('waits while the update is running', async () => {
    const site = createInterruptedSite();
    const holder = spawn('php', [
      '-r',
      `$lock = fopen( '${site.folder}/lock', 'c' ); flock( $lock, LOCK_EX ); echo 'held'; sleep( 60 );`,
    ]);
    await once(holder.stdout, 'data');
    site.visit();
    expect([site.plugin(), site.hasJournal()]).toEqual([['half.php'], true]);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    site.visit();
    expect([site.plugin(), site.hasJournal()]).toEqual([['shop.php'], false]);
  });

  it('waits 15 minutes for an update on another host', () => {
    const fresh = createInterruptedSite({ host: 'another-web-server' });
    fresh.visit();
    expect([fresh.plugin(), fresh.hasJournal()]).toEqual([['half.php'], true]);
    const started = Math.floor(Date.now() / 1000) - 16 * 60;
    const old = createInterruptedSite({ host: 'another-web-server', started });
    old.visit();
    expect([old.plugin(), old.hasJournal()]).toEqual([['shop.php'], false]);
  });

  it('keeps the backup when it cannot restore it, and retries after a minute', () => {
    const site = createInterruptedSite();
    for (const path of [site.root, join(site.root, 'wp-content'), site.folder])
      chmodSync(path, 0o777);
    const plugins = join(site.root, 'wp-content/plugins');
    chmodSync(plugins, 0o555);
    if (process.getuid?.() === 0)
      chownSync(join(site.folder, 'previous-1'), UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    const { stderr } = site.visit(UNPRIVILEGED_UID);
    expect(stderr).toContain('could not restore the previous version');
    // Web servers may deliver the log of WordPress.
    expect(stderr).not.toContain(basename(site.folder));
    expect([site.plugin(), site.hasJournal()]).toEqual([['half.php'], true]);
    expect(readFileSync(join(site.folder, 'previous-1/shop.php'), 'utf8')).toBe('old');
    chmodSync(plugins, 0o777);
    // Do not retry in every request: visitors would have to wait.
    expect(site.visit().stderr).toBe('');
    expect(site.plugin()).toEqual(['half.php']);
    site.advanceTime(61);
    site.visit();
    expect([site.plugin(), site.hasJournal()]).toEqual([['shop.php'], false]);
  });

  it('does not touch the files of the site of which this one is a copy', () => {
    const site = createInterruptedSite();
    const journal = JSON.parse(
      readFileSync(join(site.folder, 'in-flight.php'), 'utf8').slice(FIRST_LINE.length),
    );
    site.run(`Steward\\Watchdog\\Journal::remove( [ '${journal.items[0].backup}' ] );
      Steward\\Watchdog\\Journal::add( json_decode( '${JSON.stringify(journal.items[0])}', true ), '${hostname()}' );`);
    const copy = temporaryFolder();
    cpSync(join(site.root, 'wp-content'), join(copy, 'wp-content'), { recursive: true });
    const visitCopy = (code: string) =>
      spawnSync('php', ['-r', site.constants.replaceAll(`'${site.root}/`, `'${copy}/`) + code], {
        encoding: 'utf8',
      });
    visitCopy(`require '${WATCHDOG}/load.php'; Steward\\Watchdog\\Undo::restore_interrupted();`);
    expect([site.plugin(), site.hasJournal()]).toEqual([['half.php'], true]);
    site.visit();
    expect([site.plugin(), site.hasJournal()]).toEqual([['shop.php'], false]);
  });

  it('ignores an invalid journal', () => {
    const site = createInterruptedSite();
    writeFileSync(join(site.folder, 'in-flight.php'), `${FIRST_LINE}{"path":"/"}`);
    const { status, stderr } = site.visit();
    expect([status, stderr, site.plugin()]).toEqual([0, '', ['half.php']]);
  });
});
