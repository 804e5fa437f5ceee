import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { useBrowser } from '@steward/testkit/browser/use-browser.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { SiteOptions, WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

export const SETTINGS = '/wp-admin/options-general.php?page=steward';

/** Starts a real panel and a real browser for the settings page of new WordPress sites. */
export function useSettingsPage() {
  const browser = useBrowser();
  const holder = {} as { bed: Bed; panel: LicensingPanel };
  beforeAll(async () => {
    [holder.bed, holder.panel] = await Promise.all([openBed(), startPanelWithoutWorker()]);
  });
  afterAll(async () => {
    await holder.bed.stop();
    await holder.panel.stop();
  });

  return Object.assign(holder, {
    newPage: browser.newPage,

    async newSite(options?: SiteOptions) {
      const site = await holder.bed.createSite(options);
      onTestFinished(() => site.stop());
      await installSteward(site);
      return site;
    },

    /**
     * Opens an empty page with the session of the user. Signs in over HTTP and copies the cookies, because these tests
     * do not cover the WordPress form.
     */
    async signIn(site: Pick<WordPressSite, 'url'>, user = ADMIN): Promise<Page> {
      const response = await fetch(`${site.url}/wp-login.php`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ log: user.user, pwd: user.password }),
      });
      expect(response.status).toBe(302);
      const { page, context } = await browser.newPage();
      await context.addCookies(
        response.headers.getSetCookie().map((cookie) => {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          return { name, value, url: site.url };
        }),
      );
      return page;
    },

    async connect(
      page: Page,
      site: Pick<WordPressSite, 'url'>,
      key = holder.panel.licenseKey,
      url = holder.panel.url,
    ) {
      await page.goto(site.url + SETTINGS);
      await page.getByLabel('Panel address').fill(url);
      await page.getByLabel('License key').fill(key);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
    },
  });
}

export const readMessage = (page: Page) => page.locator('#steward-message').innerText();
export const readValue = (page: Page, id: string) => page.locator(`#steward-${id}`).innerText();
export const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

export async function takeScreenshot(page: Page, name: string) {
  if (!process.env.SCREENSHOTS) return;
  await mkdir(process.env.SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
}
