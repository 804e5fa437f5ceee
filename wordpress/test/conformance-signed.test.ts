import { describeSiteSide } from '@steward/conformance/suite.ts';
import { startWordPressUnderTest } from './support/wordpress-under-test.ts';

describeSiteSide('WordPress with the plugin', startWordPressUnderTest, { isSigned: true });
