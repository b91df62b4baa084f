// What the page does once it is there: table, charts, copying, tiles as filters, printing.

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element("textarea", {}, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest(".copy");
  if (button) {
    await copy(button.parentNode.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }
  const tile = event.target.closest("a.tile");
  if (tile) {
    state.status = tile.dataset.status;
    const list = document.getElementById("filter-status");
    if (list) list.value = state.status;
    refresh();
  }
});

// Paper has no pages to turn: up to a thousand of the selected records are printed.
let sizeOnScreen;
addEventListener("beforeprint", () => {
  sizeOnScreen = state.size;
  state.size = 1000;
  draw();
});
addEventListener("afterprint", () => {
  state.size = sizeOnScreen;
  draw();
});

buildTable();
buildCharts();
for (const button of document.querySelectorAll(".copy")) button.hidden = false;
document.documentElement.dataset.ready = "true";
