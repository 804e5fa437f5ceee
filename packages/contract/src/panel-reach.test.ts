import { expect, it } from 'vitest';
import { panelReach } from './panel-reach.ts';

it.each([
  ['https://panel.example.com', 'public'],
  ['https://staging.agency.com:8443/steward', 'public'],
  ['https://93.184.216.34', 'public'],
  ['https://[2606:2800:220:1::1]', 'public'],
  ['http://panel.example.com', 'not_https'],
  ['http://localhost:8080', 'local'],
  ['http://127.0.0.1:8080', 'local'],
  ['https://192.168.1.5', 'local'],
  ['https://[::1]', 'local'],
  ['https://[fd00::1]', 'local'],
  ['https://100.101.102.103', 'local'],
  ['http://0.0.0.0:8080', 'local'],
  ['http://[::]:8080', 'local'],
  ['https://panel', 'local'],
  ['https://panel.test', 'local'],
  ['https://panel.local', 'local'],
  ['https://steward.internal', 'local'],
])('panelReach(%s) is %s', (url, reach) => {
  expect(panelReach(url)).toBe(reach);
});
