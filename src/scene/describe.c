// Writes the reference of scene scripts.
#include "scene/describe.h"

#include "scene/gaps.h"
#include "scene/wording.h"

// Where only some fluids lack it, its own page says so.
static bool is_never_run(const BwConstructor *constructor)
{
    const BwGap *gap = NULL;
    while ((gap = bw_gap_next(gap, constructor, NULL, NULL)) != NULL)
        if (gap->fluids == BW_ALL_FLUIDS)
            return true;
    return false;
}

static void describe_uses(FILE *stream, const char *title, BwConstructorUse use)
{
    fprintf(stream, "%s\n", title);
    for (int n = 0; n < bw_constructor_count; n++)
        if (bw_constructors[n].use == use)
            fprintf(stream, "  %-18s %s%s\n", bw_constructors[n].name, bw_constructors[n].meaning,
                    is_never_run(&bw_constructors[n]) ? " (not run by this version)" : "");
}

static void describe_gaps(FILE *stream, const BwConstructor *constructor, const BwSceneField *field,
                          const char *choice, int indent)
{
    char text[BW_GAP_TEXT];
    for (const BwGap *gap = bw_gap_next(NULL, constructor, field, choice); gap != NULL;
         gap = bw_gap_next(gap, constructor, field, choice)) {
        bw_gap_text(gap, text);
        if (choice == NULL)
            fprintf(stream, "%*s(not %s)\n", indent, "", text);
        else
            fprintf(stream, "%*s%s (not %s)\n", indent, "", choice, text);
    }
}

// What this version does not do with a field, and with which of its choices.
static void describe_field_gaps(FILE *stream, const BwConstructor *constructor, const BwSceneField *field,
                                int indent)
{
    describe_gaps(stream, constructor, field, NULL, indent);
    for (int n = 0; field->names != NULL && n < field->names->count; n++)
        describe_gaps(stream, constructor, field, field->names->texts[n], indent);
    if (field->kind != BW_FIELD_CHOICE_CURVE && field->kind != BW_FIELD_CURVE)
        return;
    describe_gaps(stream, constructor, field, BW_OVER_TIME, indent);
}

void bw_describe_all(FILE *stream)
{
    describe_uses(stream, "Once a scene:", BW_USE_SINGLE);
    describe_uses(stream, "As often as you like:", BW_USE_LIST);
    describe_uses(stream, "Shapes:", BW_USE_SHAPE);
    fprintf(stream, "Values:\n"
                    "  param(name, default)     a value that --set name=value may change\n"
                    "  keys { {t, value}, ... } a value over time, straight lines between keys\n"
                    "  function(t) ... end      a value over time; must depend on t alone\n"
                    "  function(x, y, z, t)     the same from place to place, where a field says so\n"
                    "  noise(x, y, z, t)        smooth noise, about -1 to 1\n"
                    "  deg(angle)               degrees to radians\n");
}

static void describe_fields(FILE *stream, const BwConstructor *constructor, int indent)
{
    for (int n = 0; n < constructor->field_count; n++) {
        const BwSceneField *field = &constructor->fields[n];
        char wanted[BW_WORDING], standard[BW_WORDING];
        bw_wanted_text(field, wanted);
        bw_default_text(field, standard);
        fprintf(stream, "%*s%s\n", indent, "",
                field->kind == BW_FIELD_PARTS ? "(without a name)" : field->name);
        if (field->meaning[0] != '\0')
            fprintf(stream, "%*s%s\n", indent + 4, "", field->meaning);
        fprintf(stream, "%*stakes %s\n", indent + 4, "", wanted);
        if (field->flags & BW_REQUIRED)
            fprintf(stream, "%*srequired\n", indent + 4, "");
        else if (field->group == NULL)
            fprintf(stream, "%*sdefault: %s\n", indent + 4, "", standard);
        describe_field_gaps(stream, constructor, field, indent + 4);
    }
}

// Groups that several fields share, such as the six sides of a box, are told once.
static void describe_groups(FILE *stream, const BwConstructor *constructor)
{
    const BwConstructor *last = NULL;
    for (int n = 0; n < constructor->field_count; n++) {
        const BwConstructor *group = constructor->fields[n].group;
        if (group == NULL || group == last)
            continue;
        fprintf(stream, "\nInside ");
        for (int same = n; same < constructor->field_count && constructor->fields[same].group == group;
             same++)
            fprintf(stream, "%s%s", same > n ? ", " : "", constructor->fields[same].name);
        fprintf(stream, ": %s\n", group->meaning);
        describe_fields(stream, group, 4);
        last = group;
    }
}

bool bw_describe(FILE *stream, const char *name)
{
    const BwConstructor *constructor = bw_constructor_find(name);
    if (constructor == NULL)
        return false;
    fprintf(stream, "%s {...}: %s\n", constructor->name, constructor->meaning);
    describe_gaps(stream, constructor, NULL, NULL, 2);
    describe_fields(stream, constructor, 2);
    describe_groups(stream, constructor);
    return true;
}
