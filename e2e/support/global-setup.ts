import { makeScreensReady } from '../../packages/web/scripts/ready.ts';

/** Once for all tests: what a browser gets is what is in these folders now. */
export default () => makeScreensReady();
