import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../test/support/served-site.ts';
import { downloadPackage } from './download-package.ts';

const SHA256 = '0'.repeat(64);
const target = () => join(temporaryFolder(), 'package.zip');

describe('downloadPackage', () => {
  it('explains that the site is not connected', async () => {
    const source = { url: 'https://panel.example.com/p', sha256: SHA256, size: 10 };
    await expect(downloadPackage(source, null, target())).rejects.toThrow(
      /^This site is not connected to a panel\./,
    );
  });

  it.each(['http://localhost:4100', 'https://127.0.0.1:4100', 'http://127.0.0.1:4101'])(
    'names both addresses when a link leads to %s instead of the panel',
    async (other) => {
      const source = { url: `${other}/p`, sha256: SHA256, size: 10 };
      await expect(downloadPackage(source, 'http://127.0.0.1:4100', target())).rejects.toThrow(
        `The link to the package leads to ${other}, but this site is connected to http://127.0.0.1:4100. Start the panel with BASE_URL set to http://127.0.0.1:4100, or connect this site again to ${other}.`,
      );
    },
  );

  it('explains an unreachable panel, an interrupted download and a missing folder', async () => {
    const server = createServer((request, response) => {
      const isCut = request.url === '/cut';
      response.writeHead(200, { 'content-length': 10 });
      if (isCut) response.write('half', () => response.destroy());
      else response.end('0123456789');
    });
    await listen(server);
    const panelUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => void server.close());
    const source = (path: string) => ({ url: `${panelUrl}${path}`, sha256: SHA256, size: 10 });
    const interrupted = {
      message: 'The package could not be downloaded: the transfer failed or was interrupted.',
      code: 'package_rejected',
    };
    await expect(downloadPackage(source('/cut'), panelUrl, target())).rejects.toMatchObject(
      interrupted,
    );
    const missing = join(temporaryFolder(), 'missing/package.zip');
    await expect(downloadPackage(source('/all'), panelUrl, missing)).rejects.toThrow(
      'could not be downloaded: the file does not exist.',
    );
    server.close();
    server.closeAllConnections();
    await expect(downloadPackage(source('/all'), panelUrl, target())).rejects.toMatchObject(
      interrupted,
    );
  });
});
