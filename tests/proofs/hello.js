// A small player of Battleship: node hello.js HOST PORT
const [host, port] = process.argv.slice(2);
const ships = [5, 4, 3, 3, 2].map((length, i) => Array.from({ length }, (_, x) => `${x},${2 * i}`));
const connection = require("net").connect(Number(port), host);
let next = 0;
let rest = "";
const shoot = () => {
  connection.write(`(1,[${next % 10},${Math.floor(next / 10)}]).\n`);
  next += 1;
};
connection.on("data", (data) => {
  const lines = (rest + data).split("\r");
  rest = lines.pop();
  for (const line of lines) {
    const [code, x, y] = line.match(/\d+/g);
    if (code === "4") connection.isFirst = true;
    if (code === "5" && connection.isFirst) shoot();
    if (code !== "1") continue;
    const ship = ships.find((one) => one.includes(`${x},${y}`));
    if (ship) ship.splice(ship.indexOf(`${x},${y}`), 1);
    const result = !ship ? 1 : ship.length ? 2 : ships.some((one) => one.length) ? 3 : 4;
    connection.write(`(2,[${x},${y},${result}]).\n`);
    if (result !== 4) shoot();
  }
});
