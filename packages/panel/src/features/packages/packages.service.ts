import type { Readable } from 'node:stream';
import {
  type InstallItem,
  PACKAGES_OF_USER_MAX_BYTES,
  type SoftwareItemQuery,
  type UpdateItem,
  type UploadedPackage,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { generateLinkToken, hashToken } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { type CurrentUser, OPERATOR } from '../site-access/index.ts';
import { assertPanelReachable } from '../wordpress-plugin/index.ts';
import { inspectPackage, type PackageFacts } from './inspect-package.ts';
import {
  consumeLink,
  deleteLinksExpiredBefore,
  findLink,
  insertLinks,
} from './links.repository.ts';
import {
  deletePackagesUnusedSince,
  findAndTouch,
  insertChunk,
  insertPackage,
  insertUpload,
  listPackages,
  listPackageVersions,
  lockUploads,
  type PackageRow,
  readChunk,
  sumUploads,
  touchByHash,
} from './packages.repository.ts';
import { readParts, type Upload, withUpload } from './receive-upload.ts';

/** An item to install: an uploaded package, or without `package_id` an item of the public directory. */
type PackageItem = UpdateItem & { package_id?: number; name?: string };

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  getPanelUrl(): string;
};

export type Download = { size: number; chunks: AsyncIterable<Buffer> };

const CHUNK_BYTES = 1024 * 1024;
const LISTED_PACKAGES = 100;
/** The default of SITE_UPDATE_TIMEOUT: a site may download its last package at the end of the call. */
const LINK_MINUTES = 15;
const UNUSED_DAYS = 30;
/** A used link is kept for a while, so that a second request gets the reason `package_link_used`. */
const LINKS_KEPT_HOURS = 24;
const HOUR_MS = 60 * 60_000;

export type PackageService = ReturnType<typeof createPackageService>;

/** Stores packages of plugins and themes, and gives each site a link that works once. */
export function createPackageService({ db, clock, audit, getPanelUrl }: Dependencies) {
  return {
    /**
     * Checks and stores a zip file. The panel stores the same file only once, but shows it to each user who uploaded it.
     */
    upload: (user: CurrentUser, body: Readable, origin: AuditOrigin): Promise<UploadedPackage> =>
      withUpload(body, async (upload) => {
        const facts = await inspectPackage(upload.path, upload.size);
        return db.transaction().execute(async (trx) => {
          const creatorId = await lockUploads(trx, user.id);
          const { id } = await store(trx, user.id, upload, facts);
          await insertUpload(trx, { package_id: id, user_id: user.id, uploaded_at: clock.now() });
          if ((await sumUploads(trx, creatorId)) > PACKAGES_OF_USER_MAX_BYTES) {
            throw new AppError('package_storage_full');
          }
          const [row] = await findAndTouch(trx, user, [id], clock.now());
          if (!row) throw new Error(`The uploaded package ${id} is not visible to its user.`);
          const { type, slug, name, version, sha256, size } = row;
          const context = { type, slug, name, version, sha256, size };
          const entity = { entityType: 'package', entityId: id } as const;
          await audit.record(trx, origin, [{ action: 'upload', ...entity, context }]);
          return toView(row);
        });
      }),

    /** Lists the packages that the user may use. */
    list: async (user: CurrentUser): Promise<UploadedPackage[]> =>
      (await listPackages(db, user, LISTED_PACKAGES)).map(toView),

    listVersions: (user: CurrentUser, item: SoftwareItemQuery): Promise<string[]> =>
      listPackageVersions(db, user, item),

    /** Returns the items of a run that installs these packages. The package of another user is 404 like an unknown one. */
    async toRunItems(user: CurrentUser, ids: number[]): Promise<PackageItem[]> {
      const rows = await findAndTouch(db, user, ids, clock.now());
      return ids.map((id) => {
        const row = rows.find((each) => each.id === id);
        if (!row) throw new AppError('package_not_found');
        const { type, slug, version, name } = row;
        return { type, slug, version, name, package_id: id };
      });
    },

    /** Throws if sites cannot download from this panel. `requestHost` is the Host header of the request. */
    assertPanelReachable: (requestHost: string) => assertPanelReachable(getPanelUrl(), requestHost),

    /** Returns the items of a call, each package with a new link. Null: a package is no longer stored. */
    async createInstallItems(siteId: number, items: PackageItem[]): Promise<InstallItem[] | null> {
      const now = clock.now();
      const ids = items.flatMap(({ package_id }) => package_id ?? []);
      // The user of the run could use these packages when they created it.
      const rows = ids.length > 0 ? await findAndTouch(db, OPERATOR, ids, now) : [];
      if (ids.some((id) => !rows.some((row) => row.id === id))) return null;
      const expires_at = new Date(now.getTime() + LINK_MINUTES * 60_000);
      const links: { token_hash: Buffer; package_id: number; site_id: number; expires_at: Date }[] =
        [];
      const installItems = items.map(({ type, slug, version = '', package_id }) => {
        const item = { type, slug, version } as InstallItem;
        const row = rows.find(({ id }) => id === package_id);
        if (!row) return item;
        const token = generateLinkToken();
        links.push({
          token_hash: hashLinkToken(token),
          package_id: row.id,
          site_id: siteId,
          expires_at,
        });
        const url = `${getPanelUrl()}/api/v1/packages/${token}`;
        return { ...item, package: { url, sha256: row.sha256, size: row.size } };
      });
      await insertLinks(db, links);
      return installItems;
    },

    /** Uses up the link and returns the package. */
    async download(token: string): Promise<Download> {
      const tokenHash = hashLinkToken(token);
      const found = await consumeLink(db, tokenHash, clock.now());
      if (found) return { size: found.size, chunks: readChunks(found.package_id) };
      const link = await findLink(db, tokenHash);
      if (!link) throw new AppError('package_link_unknown');
      throw new AppError(link.used_at ? 'package_link_used' : 'package_link_expired');
    },

    async deleteUnused(): Promise<number> {
      const now = clock.now().getTime();
      await deleteLinksExpiredBefore(db, new Date(now - LINKS_KEPT_HOURS * HOUR_MS));
      return deletePackagesUnusedSince(db, new Date(now - UNUSED_DAYS * 24 * HOUR_MS));
    },
  };

  async function store(
    trx: Trx,
    userId: number,
    { path, sha256, size }: Upload,
    { type, slug, name, version, requires, requiresPhp }: PackageFacts,
  ): Promise<PackageRow> {
    const now = clock.now();
    const facts = { type, slug, name, version, requires, requires_php: requiresPhp };
    const times = { created_at: now, used_at: now };
    const row = { sha256, size, ...facts, uploaded_by: userId, ...times };
    const added = await insertPackage(trx, row);
    if (!added) {
      const existing = await touchByHash(trx, sha256, now);
      if (existing) return existing;
      // The package was deleted between the two statements.
      throw new AppError('unavailable');
    }
    let position = 0;
    for await (const bytes of readParts(path, CHUNK_BYTES)) {
      await insertChunk(trx, { package_id: added.id, position: position++, bytes });
    }
    return added;
  }

  async function* readChunks(packageId: number): AsyncGenerator<Buffer, void> {
    for (let position = 0; ; position++) {
      const bytes = await readChunk(db, packageId, position);
      if (!bytes) return;
      yield bytes;
    }
  }
}

function toView({ used_at: _, created_at, ...row }: PackageRow): UploadedPackage {
  return { ...row, created_at: created_at.toISOString() };
}

function hashLinkToken(token: string): Buffer {
  return Buffer.from(hashToken(token), 'hex');
}
