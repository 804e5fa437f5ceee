import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/** The licenses of the packages that these modules belong to. Most of them must accompany every copy of the code. */
export async function collectLicenses(modules: string[]): Promise<string> {
  const folders = modules.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []);
  const texts = await Promise.all([...new Set(folders)].map(describePackage));
  return `Steward contains the following packages.\n\n${[...new Set(texts)].sort().join('\n')}`;
}

async function describePackage(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`## ${name} ${version} (${license})`, '', ...texts, ''].join('\n');
}
