import { describeSiteEndpoints } from '@steward/conformance/suite.ts';
import { startWordPressUnderTest } from './support/wordpress-under-test.ts';

describeSiteEndpoints('WordPress with the plugin', startWordPressUnderTest, {
  isSigned: true,
  parts: ['basics', 'specification'],
});
