// Pictures with a slider: each state's bars and sentence stand in the page as JSON; without this script the first one stays.
function setMoving(picture) {
  const states = JSON.parse(picture.querySelector('script[type="application/json"]').textContent);
  const label = picture.querySelector(".tn-moving-slider");
  const slider = label.querySelector("input");
  const says = picture.querySelector(".tn-moving-says");
  const bars = [...picture.querySelectorAll(".tn-bar")];
  const show = () => {
    const state = states[Number(slider.value)];
    slider.setAttribute("aria-valuetext", state.value);
    says.textContent = state.says;
    bars.forEach((bar, at) => {
      const [text, length] = state.bars[at];
      bar.querySelector(".tn-bar-fill").style.width = `${length}%`;
      bar.querySelector(".tn-bar-value").textContent = text;
    });
  };
  slider.addEventListener("input", show);
  label.hidden = false;
  show();
}
window.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".tn-moving").forEach(setMoving));
