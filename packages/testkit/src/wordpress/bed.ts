import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Database, openMariadb } from './mariadb.ts';
import { type Packages, servePackages } from './packages.ts';
import { prepareBed } from './prepared-bed.ts';
import { createWordPressSite, type SiteOptions, type WordPressSite } from './site.ts';

export type Bed = {
  folder: string;
  mariadb: Database;
  packages: Packages;
  createSite(options?: SiteOptions): Promise<WordPressSite>;
  /** Stops the servers and sites of this bed. */
  stop(): Promise<void>;
};

/** Starts a test bed for a test file or program without a global setup, in a new folder below `parent`. */
export async function startBed(parent?: string): Promise<Bed> {
  const prepared = await prepareBed(parent);
  const bed = await openBedIn(prepared.folder, prepared.mariadb);
  return {
    ...bed,
    async stop() {
      await bed.stop();
      await prepared.stop();
    },
  };
}

/** Opens the test bed that the global setup prepared for all test files. */
export async function openBed(): Promise<Bed> {
  const { folder, socket } = inject('wordpressBed');
  const mariadb = openMariadb(socket);
  const bed = await openBedIn(folder, mariadb, { reusesServers: true });
  return {
    ...bed,
    async stop() {
      await bed.stop();
      await mariadb.close();
    },
  };
}

async function openBedIn(
  folder: string,
  mariadb: Database,
  { reusesServers = false } = {},
): Promise<Bed> {
  const packages = await servePackages(await mkdtemp(join(folder, 'packages-')), folder);
  const sites: WordPressSite[] = [];
  return {
    folder,
    mariadb,
    packages,
    async createSite(options) {
      const site = await createWordPressSite({ folder, mariadb, reusesServers }, options);
      sites.push(site);
      return site;
    },
    async stop() {
      await Promise.all(sites.map((site) => site.stop()));
      await packages.stop();
    },
  };
}
