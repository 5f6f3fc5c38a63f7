// GLFW behind a few functions.
#define GLFW_INCLUDE_NONE
#include "window.h"

#include "viewer.h"

#include <GLFW/glfw3.h>
#include <stdio.h>
#include <stdlib.h>

struct Window {
    GLFWwindow *glfw;
    struct Viewer *viewer;
    int x, y, width, height; // before it filled the screen
    bool fills_screen;
};

static Viewer *viewer_of(GLFWwindow *glfw)
{
    return ((Window *)glfwGetWindowUserPointer(glfw))->viewer;
}

// Pixels of a unit of the screen.
static double pixels_of_unit(GLFWwindow *glfw)
{
    int width, unused, pixels;
    glfwGetWindowSize(glfw, &width, &unused);
    glfwGetFramebufferSize(glfw, &pixels, &unused);
    return width > 0 ? (double)pixels / (double)width : 1.0;
}

static void on_key(GLFWwindow *glfw, int key, int code, int action, int mods)
{
    (void)code, (void)mods;
    if (action != GLFW_RELEASE)
        viewer_on_key(viewer_of(glfw), key);
}

static void on_button(GLFWwindow *glfw, int button, int action, int mods)
{
    (void)mods;
    viewer_on_button(viewer_of(glfw), button, action == GLFW_PRESS);
}

static void on_cursor(GLFWwindow *glfw, double x, double y)
{
    double scale = pixels_of_unit(glfw);
    viewer_on_cursor(viewer_of(glfw), x * scale, y * scale);
}

static void on_scroll(GLFWwindow *glfw, double x, double y)
{
    (void)x;
    viewer_on_scroll(viewer_of(glfw), y);
}

static void on_size(GLFWwindow *glfw, int width, int height)
{
    viewer_on_size(viewer_of(glfw), width, height);
}

static void on_close(GLFWwindow *glfw)
{
    viewer_on_close(viewer_of(glfw));
}

static BwResult fail(BwError *err, const char *what)
{
    const char *words = NULL;
    glfwGetError(&words);
    err->code = BW_ERR_BACKEND;
    snprintf(err->message, sizeof err->message, "%s%s%s", what, words != NULL ? ": " : "",
             words != NULL ? words : "");
    return BW_ERR_BACKEND;
}

static GLFWwindow *open_window(const WindowDef *def, bool is_es)
{
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CLIENT_API, is_es ? GLFW_OPENGL_ES_API : GLFW_OPENGL_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, is_es ? 0 : 3);
    if (!is_es)
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_VISIBLE, def->is_hidden ? GLFW_FALSE : GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    return glfwCreateWindow(def->width, def->height, def->title, NULL, NULL);
}

static void set_callbacks(Window *window)
{
    GLFWwindow *glfw = window->glfw;
    glfwSetWindowUserPointer(glfw, window);
    glfwSetKeyCallback(glfw, on_key);
    glfwSetMouseButtonCallback(glfw, on_button);
    glfwSetCursorPosCallback(glfw, on_cursor);
    glfwSetScrollCallback(glfw, on_scroll);
    glfwSetFramebufferSizeCallback(glfw, on_size);
    glfwSetWindowCloseCallback(glfw, on_close);
}

BwResult window_create(Window **out, const WindowDef *def, BwError *err)
{
    *out = NULL;
    if (!glfwInit())
        return fail(err, "no window could be opened, for there is no display to open it on (DISPLAY or "
                         "WAYLAND_DISPLAY names one; xvfb-run makes one that nobody sees)");
    GLFWwindow *glfw = open_window(def, true);
    if (glfw == NULL)
        glfw = open_window(def, false);
    Window *window = glfw != NULL ? calloc(1, sizeof *window) : NULL;
    if (window == NULL) {
        BwResult result = fail(err, "no window with OpenGL ES 3.0 or OpenGL 3.3 could be opened (Mesa, "
                                    "package libgl1-mesa-dri, brings one that needs no graphics card)");
        glfwTerminate();
        return result;
    }
    window->glfw = glfw;
    window->viewer = def->viewer;
    glfwMakeContextCurrent(glfw);
    glfwSwapInterval(1);
    set_callbacks(window);
    *out = window;
    return BW_OK;
}

void window_destroy(Window *window)
{
    if (window == NULL)
        return;
    glfwDestroyWindow(window->glfw);
    glfwTerminate();
    free(window);
}

void window_poll(Window *window)
{
    (void)window;
    glfwPollEvents();
}

void window_swap(Window *window)
{
    glfwSwapBuffers(window->glfw);
}

void window_pixels(Window *window, int *width, int *height)
{
    glfwGetFramebufferSize(window->glfw, width, height);
}

float window_scale(Window *window)
{
    float x, y;
    glfwGetWindowContentScale(window->glfw, &x, &y);
    return x > 0.5f ? x : 1.0f;
}

void window_set_title(Window *window, const char *title)
{
    glfwSetWindowTitle(window->glfw, title);
}

void window_set_size(Window *window, int width, int height)
{
    glfwSetWindowSize(window->glfw, width, height);
}

void window_toggle_full_screen(Window *window)
{
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor != NULL ? glfwGetVideoMode(monitor) : NULL;
    if (mode == NULL)
        return;
    window->fills_screen = !window->fills_screen;
    if (!window->fills_screen) {
        glfwSetWindowMonitor(window->glfw, NULL, window->x, window->y, window->width, window->height,
                             GLFW_DONT_CARE);
        return;
    }
    glfwGetWindowPos(window->glfw, &window->x, &window->y);
    glfwGetWindowSize(window->glfw, &window->width, &window->height);
    glfwSetWindowMonitor(window->glfw, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}
