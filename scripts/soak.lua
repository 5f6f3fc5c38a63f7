-- scripts/soak puts this before a scene and `soak_report()` after it. It turns pictures and files off, lets --set coarsen=N make
-- the cells N times as wide in scenes that have no param for it, and prints what bounds the flow:
--   soak speed=U head=W sealed=0|1 holds_mass=0|1 falls=0|1 holds_volume=0|1
-- U is the fastest that the scene itself moves anything: emitters, pumps, sides, wind, solids, the gas at the start. W is the speed
-- that the strongest buoyancy a, or the weight of a liquid, gives a parcel that nothing holds back: sqrt(2 a H) over the height H of
-- the box; without a box a t, or a / k where the gas cools at the rate k; fire is taken to be as hot as any. By Bernoulli no parcel gets beyond sqrt(U^2 + W^2) in a
-- steady flow. holds_mass is 0 for schemes that do not hold the totals, and for
-- gas that expands. falls is 1 where a liquid may leave every floor and fall for
-- ever; the spray and the films it becomes are thinner than a cell, and only in a box is its volume to be measured (holds_volume).
do
    local duration, coarsen = nil, param("coarsen", 1)
    local calls, list_of_keys = {}, {}

    for _, name in ipairs { "walls", "smoke", "fire", "charge", "emitter", "pump", "obstacle", "force", "fill", "initial" } do
        local make = _ENV[name]
        calls[name] = {}
        _ENV[name] = function(fields)
            table.insert(calls[name], fields)
            return make(fields)
        end
    end

    local make_scene, make_keys, settings = scene, keys, nil
    scene = function(fields)
        settings = fields
        fields.cell = fields.cell * coarsen
        return make_scene(fields)
    end
    keys = function(list)
        local made = make_keys(list)
        list_of_keys[made] = list
        return made
    end
    output { movie = false, checkpoint_every = 0 }
    output = function() end

    local function length(v)
        local sum = 0
        for n = 1, #v do
            sum = sum + v[n] * v[n]
        end
        return math.sqrt(sum)
    end

    -- Calls visit(value, time) with what a field is over twice the scene's length: a value, keys or a function of time.
    local function over_time(field, visit)
        if list_of_keys[field] then
            for _, key in ipairs(list_of_keys[field]) do
                visit(key[2], key[1])
            end
        elseif type(field) == "function" then
            for n = 0, 400 do
                visit(field(n / 200 * duration), n / 200 * duration)
            end
        elseif field then
            visit(field, 0)
        end
    end

    local function largest_length(field)
        local largest = 0
        over_time(field, function(v) largest = math.max(largest, length(v)) end)
        return largest
    end

    -- The speed of a position that changes in time.
    local function largest_slope(field)
        local largest, before, time_before = 0, nil, 0
        over_time(field, function(v, t)
            if before and t > time_before then
                local step = {}
                for n = 1, #v do
                    step[n] = (v[n] - before[n]) / (t - time_before)
                end
                largest = math.max(largest, length(step))
            end
            before, time_before = v, t
        end)
        return largest
    end

    -- Calls visit(value) with what a function of x, y, z of `initial` gives at 10 places along each axis of the box.
    local function over_box(field, box, visit)
        for n = 0, field and box and 999 or -1 do
            local place = {}
            for axis = 1, 3 do
                local low, high = box.min[axis] or 0, box.max[axis] or 0
                place[axis] = low + (high - low) * (n // 10 ^ (axis - 1) % 10) / 9
            end
            visit(field(place[1], place[2], place[3]))
        end
    end

    local sides = { "left", "right", "bottom", "top", "back", "front" }

    -- A solid that turns stays in the box, so its tip is no farther from its middle than half of the box's widest side.
    local function solid_speed(motion, box)
        local reach = 1
        for n = 1, box and #box.min or 0 do
            reach = math.max(n == 1 and 0 or reach, (box.max[n] - box.min[n]) / 2)
        end
        local spin = type(motion.spin) == "number" and math.abs(motion.spin) or largest_length(motion.spin)
        return largest_length(motion.velocity) + largest_slope(motion.position) + reach * spin
    end

    local function largest_speed(box)
        local speed = 0
        local function take(value) speed = math.max(speed, value) end
        for _, name in ipairs { "emitter", "pump", "fill" } do
            for _, source in ipairs(calls[name]) do
                take(largest_length(source.velocity))
            end
        end
        for _, side in ipairs(box and sides or {}) do
            if type(box[side]) == "table" then take(largest_length(box[side].velocity)) end
        end
        for _, solid in ipairs(calls.obstacle) do
            if solid.motion then take(solid_speed(solid.motion, box)) end
        end
        for _, start in ipairs(calls.initial) do
            -- Streams that pass each other are as fast as one is seen from the other.
            local low, high = {0, 0, 0}, {0, 0, 0}
            over_box(start.velocity, box, function(v)
                for n = 1, #v do
                    low[n], high[n] = math.min(low[n], v[n]), math.max(high[n], v[n])
                end
            end)
            take(length {high[1] - low[1], high[2] - low[2], high[3] - low[3]})
        end
        for _, charge in ipairs(calls.charge) do
            -- Ten times as fast as the ball grows that its gas would be: it comes out of a smaller one.
            local volume = charge.volume or 0.4 / 1.4 * charge.energy / 101325
            take(10 * (0.75 / math.pi * volume) ^ (1 / 3) / ((charge.stop or 0.05) - (charge.start or 0)))
        end
        local gas = calls.smoke[1] or calls.fire[1]
        take(largest_length(gas and gas.wind))
        local fire = calls.fire[1]
        if fire and fire.model ~= "simple" then -- products leave a thin flame faster than its fuel comes
            local fuel = type(fire.fuel) == "table" and fire.fuel or {}
            local ratio = (fuel.density or 1.205) / (fuel.density_products or 0.152)
            speed = speed + (ratio - 1) * (fuel.flame_speed or 0.44)
        end
        return speed
    end

    -- The weight of a liquid and the forces on it.
    local function largest_fall()
        local push = largest_length(settings.gravity or {0, -9.81, 0})
        for _, force in ipairs(calls.force) do
            push = push + largest_length(force.acceleration)
        end
        return push
    end

    -- What a degree above ambient lifts by where the scene does not say (docs/fire.md): fuels burn at 1900 K and more.
    local function lift_of(gravity, ambient)
        return settings.fluid == "fire" and 2 * gravity / (ambient + 1900) or gravity / ambient
    end

    -- The strongest acceleration of a gas by heat, weight and forces.
    local function largest_acceleration(box, gas)
        local ambient = gas.ambient or 293.15
        local heat = gas.buoyancy_heat or lift_of(largest_length(settings.gravity or {0, -9.81, 0}), ambient)
        local warmth, weight, push = 0, 0, 0
        local function warm(t) warmth = math.max(warmth, math.abs(t - ambient)) end
        local function weigh(rho) weight = math.max(weight, rho) end
        for _, name in ipairs { "emitter", "fill", "obstacle" } do
            for _, source in ipairs(calls[name]) do
                over_time(source.temperature, warm)
                over_time(source.density, weigh)
            end
        end
        for _, side in ipairs(box and sides or {}) do
            if type(box[side]) == "table" then over_time(box[side].temperature, warm) end
        end
        for _, start in ipairs(calls.initial) do
            over_box(start.temperature, box, warm)
        end
        if settings.fluid == "fire" then warm(2400) end -- no fuel burns hotter
        for _, force in ipairs(calls.force) do
            push = push + largest_length(force.acceleration)
        end
        return math.abs(heat) * warmth + math.abs(gas.buoyancy_weight or 0.1) * weight + push
    end

    local function is_sealed(box)
        for _, side in ipairs(sides) do
            local kind = box[side]
            if type(kind) == "table" then kind = kind.kind end
            if kind and kind ~= "wall" then return false end
        end
        return true
    end

    function soak_report()
        duration = settings.duration or (settings.frames or 120) / (settings.fps or 24)
        local box, gas = calls.walls[1], calls.smoke[1] or calls.fire[1] or {}
        local is_liquid = settings.fluid == "liquid"
        local acceleration = is_liquid and largest_fall() or largest_acceleration(box, gas)
        if settings.fluid == "stable" then acceleration = 0 end
        local head
        if box then
            head = math.sqrt(2 * acceleration * (box.max[2] - box.min[2]))
        else
            head = acceleration * math.min(2 * duration, 1 / math.max(settings.fluid ~= "fire" and gas.cooling or 0, 1e-9))
        end
        local holds_mass = settings.fluid ~= "stable" and settings.fluid ~= "fire" and #calls.charge == 0 and
            gas.advection ~= "semi_lagrangian"
        local function bit(is_so) return is_so and 1 or 0 end
        print(string.format("soak speed=%.4g head=%.4g sealed=%d holds_mass=%d falls=%d holds_volume=%d", largest_speed(box), head,
            bit(box and is_sealed(box)), bit(holds_mass), bit(is_liquid and not box), bit(is_liquid and box)))
    end
end
