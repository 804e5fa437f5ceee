import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ensurePanelBuilt } from '@steward/panel/ready';
import { listPluginFiles, PLUGIN_FOLDER } from '@steward/panel/wordpress-plugin';
import { ensureScreensBuilt } from '@steward/web/ready';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = 'packages/panel/dist/steward.js';
/** The same folders as in the project, so that the panel finds its files in both. */
const FOLDERS = ['packages/panel/dist', 'packages/panel/migrations', 'packages/web/dist'];
const TEXTS = ['LICENSE', 'CHANGELOG.md', 'SECURITY.md'];

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** Packs the panel with its screens and the WordPress plugin into a package for npm. Returns the path. */
export async function buildRelease(targetFolder: string): Promise<string> {
  const { version } = readJson('package.json');
  assertChangelogHas(version);
  await ensureScreensBuilt();
  await ensurePanelBuilt();
  const stage = mkdtempSync(join(tmpdir(), 'steward-release-'));
  try {
    for (const path of [...FOLDERS, ...TEXTS]) copy(path, stage);
    for (const path of listPluginFiles()) {
      copy(join(relative(ROOT, PLUGIN_FOLDER), path), stage);
    }
    writeFileSync(join(stage, 'README.md'), createReadme(version));
    writeFileSync(join(stage, 'package.json'), JSON.stringify(createManifest(), null, 2));
    mkdirSync(targetFolder, { recursive: true });
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', targetFolder];
    const name = execFileSync('npm', args, { cwd: stage, encoding: 'utf8' }).trim();
    return join(targetFolder, name);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function copy(path: string, stage: string): void {
  mkdirSync(dirname(join(stage, path)), { recursive: true });
  cpSync(join(ROOT, path), join(stage, path), { recursive: true });
}

function assertChangelogHas(version: string): void {
  const headings = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').match(/^## .+$/gm) ?? [];
  if (headings.some((heading) => heading.split(/\s+/)[1] === version)) return;
  throw new Error(
    `CHANGELOG.md has no section "## ${version}". Add it, then run the release again.`,
  );
}

/** The program contains its dependencies, so npm installs only PostgreSQL and Node.js. */
function createManifest() {
  const project = readJson('package.json');
  const panel = readJson('packages/panel/package.json');
  const { name, version, description, license } = project;
  return {
    ...{ name, version, description, license },
    type: 'module',
    bin: { steward: PROGRAM },
    files: ['packages', 'wordpress', ...TEXTS],
    optionalDependencies: { ...panel.optionalDependencies, ...project.optionalDependencies },
  };
}

const createReadme = (version: string) => `# Steward ${version}

Steward is a self-hosted panel for a fleet of WordPress sites. Install and start it in an empty folder:

\`\`\`sh
npm install ./steward-${version}.tgz
npx steward serve
\`\`\`

The panel listens at \`http://localhost:8080\`. It prints a link that creates the first owner. It stores its data in the
folder \`data\` of the current folder; set \`DATA_DIR\` to use another one. To upgrade, stop the panel, install the new
file and start the panel again.

\`LICENSES.md\` in \`packages/panel/dist\` and in \`packages/web/dist\` contains the licenses of bundled packages.
`;

if (import.meta.main) {
  const path = await buildRelease(join(ROOT, 'dist'));
  process.stdout.write(`${relative(process.cwd(), path)}\n`);
}
