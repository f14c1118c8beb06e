const EVERY = 10;

/** Says how far the tests are, which Jest does by itself in a terminal only. */
export default class {
	onTestFileResult(_test, _result, results) {
		const finished = results.numPassedTestSuites + results.numFailedTestSuites;
		if (process.stderr.isTTY || finished % EVERY > 0) return;
		console.error(
			`${finished} of ${results.numTotalTestSuites} test files: ${results.numPassedTests} tests passed, ${results.numFailedTests} failed`,
		);
	}
}
