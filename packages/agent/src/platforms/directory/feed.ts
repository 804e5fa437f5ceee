import { createWriteStream } from 'node:fs';
import { copyFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requirements } from '@steward/contract';
import Type from 'typebox';
import Value from 'typebox/value';
import { describeTransferError, isDiskFull } from '../../describe-transfer-error.ts';
import { type NewItem, PackageRejected } from '../../platform.ts';

/** `package` is the name of a file next to the feed. Paths and URLs are not allowed. */
const Offer = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 64 }),
  package: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]*$' }),
  requires: requirements.requires,
  requires_plugins: requirements.requires_plugins,
  package_bytes: requirements.package_bytes,
});
const FeedSchema = Type.Object({
  plugins: Type.Record(Type.String(), Offer),
  themes: Type.Record(Type.String(), Offer),
  core: Type.Union([Offer, Type.Null()]),
});

/** The available versions and their packages, by plugin file or theme slug. */
export type Feed = Type.Static<typeof FeedSchema>;

export type FeedSource = {
  read(): Promise<Feed>;
  fetchPackage(name: string, target: string): Promise<void>;
};

const FEED_FILE = 'feed.json';
const TIMEOUT_MS = 60_000;

/** `location` is a folder or an http(s) URL; it holds `feed.json` and the packages. */
export function openFeed(location: string, maxPackageBytes: number): FeedSource {
  return /^https?:\/\//.test(location)
    ? createRemoteFeed(new URL(location.endsWith('/') ? location : `${location}/`), maxPackageBytes)
    : createFolderFeed(location, maxPackageBytes);
}

/**
 * Fetches the package of a new item. The feed is the public directory of this platform. The given slug is a folder name,
 * the returned one a plugin file or a theme slug.
 */
export async function fetchListedPackage(
  feed: FeedSource,
  { kind, slug, version }: NewItem,
  zip: string,
): Promise<{ slug: string; zip: string }> {
  const { plugins, themes } = await feed.read();
  const offers = Object.entries(kind === 'plugin' ? plugins : themes);
  const [file, offer] = offers.find(([name]) => name.split('/')[0] === slug) ?? [];
  if (!file || offer?.version !== version) {
    throw new PackageRejected(`The feed does not offer ${slug} in version ${version}.`, {
      code: 'item_not_found',
    });
  }
  await feed.fetchPackage(offer.package, zip);
  return { slug: file, zip };
}

/** Returns the requirements of the offered version, for the inventory. */
export function readRequirements(offer: Type.Static<typeof Offer>) {
  const { requires, requires_plugins, package_bytes } = offer;
  return {
    ...(requires !== undefined && { requires }),
    ...(requires_plugins && { requires_plugins }),
    ...(package_bytes !== undefined && { package_bytes }),
  };
}

function createFolderFeed(folder: string, maxPackageBytes: number): FeedSource {
  return {
    read: async () =>
      parseFeed(await readFile(join(folder, FEED_FILE), 'utf8').catch(failFor(FEED_FILE))),
    async fetchPackage(name, target) {
      const { size } = await stat(join(folder, name)).catch(failFor(name));
      if (size > maxPackageBytes) throw createTooLargeError(name, maxPackageBytes);
      await copyFile(join(folder, name), target).catch(failFor(name));
    },
  };
}

function createRemoteFeed(base: URL, maxPackageBytes: number): FeedSource {
  const get = async (name: string) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(name, base), { signal }).catch(failFor(name));
    if (!response.ok) throw new FeedError(`Could not fetch ${name}: status ${response.status}.`);
    return response;
  };
  return {
    read: async () => parseFeed(await (await get(FEED_FILE)).text().catch(failFor(FEED_FILE))),
    async fetchPackage(name, target) {
      const { body } = await get(name);
      if (!body) throw new FeedError(`${name} is empty.`);
      const source = Readable.fromWeb(body as never);
      await pipeline(source, limitBytes(maxPackageBytes, name), createWriteStream(target)).catch(
        failFor(name),
      );
    },
  };
}

function limitBytes(maxBytes: number, name: string): Transform {
  let receivedBytes = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      receivedBytes += chunk.length;
      done(receivedBytes > maxBytes ? createTooLargeError(name, maxBytes) : null, chunk);
    },
  });
}

function createTooLargeError(name: string, maxBytes: number): Error {
  return new FeedError(`${name} is larger than ${maxBytes} bytes.`);
}

/** The message is for users. */
class FeedError extends Error {
  override readonly name = 'FeedError';
}

const failFor = (name: string) => (cause: unknown) => {
  if (cause instanceof FeedError) throw cause;
  const advice = isDiskFull(cause) ? 'Free disk space on the site.' : 'Check --feed.';
  const reason = describeTransferError(cause);
  throw new FeedError(`Could not fetch ${name}: ${reason}. ${advice}`, { cause });
};

function parseFeed(text: string): Feed {
  const feed = parseJson(text);
  if (!Value.Check(FeedSchema, feed))
    throw new FeedError('feed.json does not have the expected format.');
  return feed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
