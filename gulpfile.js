const { dest, src } = require('gulp');

// gulp 5 would re-encode the files as UTF-8 text without `encoding: false`.
const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

exports.default = copyIcons;
