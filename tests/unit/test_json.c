// JSON lines: escapes, text that is not UTF-8, numbers that read back the same, nesting, the host's locale,
// and looking values up again.
#include "base/json.h"
#include "base/json_read.h"
#include "comma_locale.h"
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Page {
    FILE *stream;
    char *text;
    size_t length;
} Page;

static void open_page(Page *page)
{
    page->stream = open_memstream(&page->text, &page->length);
    assert_non_null(page->stream);
}

static void assert_page_is(Page *page, const char *wanted)
{
    fclose(page->stream);
    assert_string_equal(page->text, wanted);
    free(page->text);
}

static void assert_text_becomes(const char *text, const char *wanted)
{
    Page page;
    open_page(&page);
    BwJson json = bw_json_line(page.stream);
    bw_json_text(&json, NULL, text);
    assert_page_is(&page, wanted);
}

static void text_is_escaped(void **state)
{
    (void)state;
    assert_text_becomes("", "\"\"");
    assert_text_becomes("say \"hi\" \\ there", "\"say \\\"hi\\\" \\\\ there\"");
    assert_text_becomes("a\nb\tc\x01\x1f", "\"a\\u000ab\\u0009c\\u0001\\u001f\"");
    assert_text_becomes("a/b \x7f", "\"a/b \x7f\"");
}

static void whole_utf8_stays_as_it_is(void **state)
{
    (void)state;
    // The first and last of each length, and the neighbours of the surrogates.
    assert_text_becomes("\xc2\x80 \xdf\xbf", "\"\xc2\x80 \xdf\xbf\"");
    assert_text_becomes("\xe0\xa0\x80 \xef\xbf\xbf", "\"\xe0\xa0\x80 \xef\xbf\xbf\"");
    assert_text_becomes("\xed\x9f\xbf \xee\x80\x80", "\"\xed\x9f\xbf \xee\x80\x80\"");
    assert_text_becomes("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf\"");
}

static void broken_utf8_is_replaced(void **state)
{
    (void)state;
    assert_text_becomes("\x80", "\"\\ufffd\"");                       // starts in the middle
    assert_text_becomes("\xc3", "\"\\ufffd\"");                       // cut short by the end
    assert_text_becomes("\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\""); // likewise
    assert_text_becomes("\xc3(", "\"\\ufffd(\"");                     // cut short by a letter
    assert_text_becomes("\xc0\xaf", "\"\\ufffd\\ufffd\"");            // too long a way to write '/'
    assert_text_becomes("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""); // likewise
    assert_text_becomes("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); // a surrogate
    assert_text_becomes("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); // past the last character
    assert_text_becomes("\xff", "\"\\ufffd\"");
}

static void assert_number_becomes(double value, const char *wanted)
{
    Page page;
    open_page(&page);
    BwJson json = bw_json_line(page.stream);
    bw_json_number(&json, NULL, value);
    assert_page_is(&page, wanted);
}

static void numbers_are_short(void **state)
{
    (void)state;
    assert_number_becomes(0.0, "0");
    assert_number_becomes(-0.0, "-0");
    assert_number_becomes(0.1, "0.1");
    assert_number_becomes(1.0 / 3.0, "0.3333333333333333");
    assert_number_becomes(16777217.0, "16777217");
    assert_number_becomes(1e300, "1e+300");
    assert_number_becomes(NAN, "null");
    assert_number_becomes(INFINITY, "null");
    assert_number_becomes(-INFINITY, "null");
}

static void numbers_read_back_the_same(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int n = 0; n < 100000; n++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        double value, back;
        memcpy(&value, &random, sizeof value);
        if (!isfinite(value))
            continue;
        char text[64] = "";
        FILE *stream = fmemopen(text, sizeof text, "w");
        BwJson json = bw_json_line(stream);
        bw_json_number(&json, NULL, value);
        fclose(stream);
        back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void objects_nest(void **state)
{
    (void)state;
    Page page;
    open_page(&page);
    BwJson json = bw_json_line(page.stream);
    for (int line = 0; line < 2; line++) {
        bw_json_open(&json, NULL, '{');
        bw_json_integer(&json, "frame", INT64_MIN);
        bw_json_open(&json, "empty", '[');
        bw_json_close(&json, ']');
        bw_json_open(&json, "removed", '{');
        bw_json_number(&json, "sleep", 0.5);
        bw_json_bool(&json, "a \"key\"", false);
        bw_json_close(&json, '}');
        bw_json_open(&json, "list", '[');
        bw_json_open(&json, NULL, '{');
        bw_json_close(&json, '}');
        bw_json_text(&json, NULL, "x");
        bw_json_bool(&json, NULL, true);
        bw_json_close(&json, ']');
        bw_json_close(&json, '}');
    }
#define LINE                                                                                                 \
    "{\"frame\":-9223372036854775808,\"empty\":[],\"removed\":{\"sleep\":0.5,\"a \\\"key\\\"\":false},"      \
    "\"list\":[{},\"x\",true]}\n"
    assert_page_is(&page, LINE LINE);
}

static void a_host_with_decimal_commas_changes_nothing(void **state)
{
    (void)state;
    double number;
    if (!comma_locale_begin())
        skip();
    const char *line = "{\"a\": 0.25}";
    assert_true(bw_json_find_number((BwJsonText){line, line + strlen(line)}, "a", &number) && number == 0.25);
    assert_number_becomes(-1.5e-7, "-1.5e-07");
    assert_number_becomes(1.0 / 3.0, "0.3333333333333333");
    setlocale(LC_NUMERIC, "C");
}

static BwJsonText span_of(const char *text)
{
    return (BwJsonText){text, text + strlen(text)};
}

static void values_are_found_by_key(void **state)
{
    (void)state;
    BwJsonText line = span_of("{\"a\":{\"n\":1,\"t\":\"}\"},\"list\":[1,{\"n\":2}], \"n\" : -3.5e2 ,"
                              "\"t\":\"say \\\"hi\\\" \\\\ \\u000a, {\",\"none\":null}\n");
    double number;
    char text[40];
    assert_true(bw_json_find_number(line, "n", &number));
    assert_float_equal(number, -350.0, 0.0);
    assert_true(bw_json_find_number(line, "none", &number));
    assert_true(isnan(number));
    assert_true(bw_json_find_text(line, "t", text, sizeof text));
    assert_string_equal(text, "say \"hi\" \\ \n, {");
    assert_true(bw_json_find_text(line, "t", text, 4));
    assert_string_equal(text, "say");
    assert_false(bw_json_find_number(line, "t", &number));
    assert_false(bw_json_find_text(line, "n", text, sizeof text));
    assert_false(bw_json_find_number(line, "missing", &number));
}

// Every beginning of a line, as a run that was killed may leave it, in memory of just that size.
static void a_line_that_was_cut_gives_nothing_wrong(void **state)
{
    (void)state;
    const char *whole = "{\"t\":\"a\\\"b\\u0001\",\"o\":{\"x\":[1,2]},\"n\":12}";
    for (size_t length = 0; length < strlen(whole); length++) {
        char *cut = malloc(length > 0 ? length : 1), text[8];
        memcpy(cut, whole, length);
        BwJsonText line = {cut, cut + length};
        double number;
        assert_false(bw_json_find_number(line, "missing", &number));
        if (bw_json_find_text(line, "t", text, sizeof text))
            assert_string_equal(text, "a\"b\x01");
        free(cut);
    }
}

// Settings of a run are read back from its run.json, whatever bytes they hold.
static void every_byte_reads_back_the_same(void **state)
{
    (void)state;
    char text[256 + 16], read[sizeof text], *page = NULL;
    size_t size;
    for (int n = 0; n < 255; n++)
        text[n] = (char)(n + 1);
    strcpy(text + 255, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    FILE *stream = open_memstream(&page, &size);
    BwJson json = bw_json_line(stream);
    json.keeps_bytes = true;
    bw_json_open(&json, NULL, '{');
    bw_json_text(&json, text, text);
    bw_json_close(&json, '}');
    fclose(stream);
    BwJsonText line = {page, page + size}, name, value;
    const char *at = line.begin;
    assert_true(bw_json_next(line, &at, &name, &value));
    assert_true(bw_json_read_text(value, read, sizeof read));
    assert_string_equal(read, text);
    assert_true(bw_json_read_text((BwJsonText){name.begin - 1, name.end + 1}, read, sizeof read));
    assert_string_equal(read, text);
    free(page);
    assert_true(bw_json_find_text(span_of("{\"t\":\"\\ud83d\\ude00\\u00e9\\n\"}"), "t", read, sizeof read));
    assert_string_equal(read, "\xf0\x9f\x98\x80\xc3\xa9\n");
}

static void lists_and_whole_texts_are_read(void **state)
{
    (void)state;
    BwJsonText list = span_of("[1, {\"a\":[2]}, \"x\"]"), item;
    const char *at = list.begin;
    int count = 0;
    while (bw_json_next_item(list, &at, &item))
        count++;
    assert_int_equal(count, 3);
    static const char *const whole[] = {"{}", " [1,-2.5e3] ", "{\"a\":{\"b\":[true,null,\"c\"]},\"d\":0}"};
    static const char *const torn[] = {"",      "{",     "[1,",  "{\"a\":}", "{\"a\" 1}", "[1 2]",     "{} x",
                                       "[\"a]", "{a:1}", "[+1]", "[tru]",    "[1,]",      "{\"a\":1,}"};
    for (size_t n = 0; n < sizeof whole / sizeof *whole; n++)
        assert_true(bw_json_is_whole(span_of(whole[n])));
    for (size_t n = 0; n < sizeof torn / sizeof *torn; n++)
        assert_false(bw_json_is_whole(span_of(torn[n])));
}

static void what_is_not_json_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {
        "",          "7",         "[1]",         "{",     "{}",         "{\"n\"}",
        "{\"n\":}",  "{\"n\":,}", "{\"n\":one}", "{n:1}", "{\"n\":1x}", "{\"n\":\"1\"}",
        "{\"n\":[1", "{\"n\":{]"};
    double number;
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
        assert_false(bw_json_find_number(span_of(bad[n]), "n", &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(whole_utf8_stays_as_it_is),
        cmocka_unit_test(broken_utf8_is_replaced),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(numbers_read_back_the_same),
        cmocka_unit_test(objects_nest),
        cmocka_unit_test(values_are_found_by_key),
        cmocka_unit_test(a_line_that_was_cut_gives_nothing_wrong),
        cmocka_unit_test(every_byte_reads_back_the_same),
        cmocka_unit_test(lists_and_whole_texts_are_read),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(a_host_with_decimal_commas_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
