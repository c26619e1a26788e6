import { defineConfig } from "@playwright/test";

export default defineConfig({
  // Playwright's own browsers are not needed where CHROMIUM names one, such as Debian's /usr/bin/chromium.
  use: { launchOptions: { executablePath: process.env.CHROMIUM } },
  reporter: "list",
});
