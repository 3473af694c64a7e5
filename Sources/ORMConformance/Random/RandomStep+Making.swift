internal import ORM
internal import ORMCore
internal import ORMObservation

extension RandomConditions {
  /// A random step; `depth` is how deep it may hold others.
  mutating func step(over rows: [NaiveRow], depth: Int = 2) -> RandomStep {
    switch random.number(0...19) {
    case 0...4: return .put(random.pick([.insert, .upsert, .upsert, .update]), namedRows(rows))
    case 5...8: return .save(typedSave(rows))
    case 9, 10: return .match(matchSave(rows))
    case 11: return .patch(patch(rows))
    case 12, 13: return .change(selection(rows), changes())
    case 14: return .delete(selection(rows))
    case 15: return deletion(rows)
    case 16 where depth > 0:
      return .savepoint(steps(rows, 1...3, depth: depth - 1), isUndone: random.chance(2))
    case 17, 18:
      guard depth == 2 else { return .ask(request(over: rows)) }
      return .transaction(steps(rows, 1...5, depth: 1), isUndone: random.chance(4))
    case 19 where depth == 2 && random.chance(2): return .reopen
    default: return .save(typedSave(rows))
    }
  }

  private mutating func steps(
    _ rows: [NaiveRow], _ count: ClosedRange<Int>, depth: Int
  ) -> [RandomStep] {
    (0..<random.number(count)).map { _ in step(over: rows, depth: depth) }
  }

  /// A new row, or one that is there with something changed, or just as it is.
  private mutating func row(_ rows: [NaiveRow]) -> NaiveRow {
    var row = entity.row(&random)
    guard !rows.isEmpty, !random.chance(3) else { return row }
    let old = random.pick(rows)
    if random.chance(6) {
      row = old
    } else {
      for name in entity.key { row[name] = old[name] }
      for attribute in entity.plainAttributes where random.chance(2) {
        row[attribute.name] = old[attribute.name]
      }
    }
    row[EntityDescription.hiddenKeyName] = nil
    return row
  }

  private mutating func rows(_ rows: [NaiveRow]) -> [NaiveRow] {
    let count = random.chance(3) ? random.number(2...5) : 1
    var given = (0..<count).map { _ in row(rows) }
    // Two with one key, now and then.
    if count > 1, random.chance(5) {
      for name in entity.key { given[count - 1][name] = given[0][name] }
    }
    return given
  }

  /// Makes rows that lack attributes, and now and then hold values that do not fit.
  ///
  /// Keys that the store gives do not meet those of later rows of the batch: the store determines the
  /// unchanged attributes of a partial row before it gives any key.
  private mutating func namedRows(_ rows: [NaiveRow]) -> [NaiveRow] {
    let batch = self.rows(rows)
    return batch.map { whole in
      var row = whole
      if batch.count > 1, entity.givesKeys {
        for name in entity.key
        where !rows.contains(where: { NaiveOrder.equals($0[name] ?? .null, row[name] ?? .null) }) {
          row[name] = .int(0)
        }
      }
      if random.chance(3) {
        for attribute in entity.plainAttributes where random.chance(3) {
          row[attribute.name] = nil
        }
      }
      if random.chance(40) { row[random.pick(entity.attributes).name] = .null }
      if random.chance(40) {
        let attribute = random.pick(entity.attributes)
        if let misfit = RandomValue.misfit(attribute.type, &random) {
          row[attribute.name] = misfit
        }
      }
      if random.chance(120) { row["nowhere"] = .int(1) }
      if entity.key.isEmpty, !rows.isEmpty, random.chance(2) {
        let key = EntityDescription.hiddenKeyName
        row[key] =
          batch.count == 1 && random.chance(3)
          ? .int(Int64(random.number(0...9))) : random.pick(rows)[key]
      }
      return row
    }
  }

  private mutating func typedSave(_ rows: [NaiveRow]) -> RandomStep.TypedSave {
    var save = RandomStep.TypedSave(
      mode: random.pick([.insert, .upsert, .upsert, .upsert, .update]), rows: self.rows(rows))
    save.isBatch = save.rows.count > 1 || random.chance(3)
    if save.mode == .upsert {
      save.merge = merge()
      // The keys of overloads are looked at as they are given, which for normalized texts is too early.
      save.refusesDuplicates =
        save.isBatch && random.chance(4) && !entity.attributes.contains(where: \.isNormalized)
    }
    return save
  }

  private mutating func merge() -> RandomStep.Merge {
    switch random.number(0...6) {
    case 0: return .skippingNil
    case 1: return .insertOnly
    case 2: return .only(entity.attributes.map(\.name).filter { _ in random.chance(2) })
    default: return .replace
    }
  }

  private mutating func matchSave(_ rows: [NaiveRow]) -> RandomStep.MatchSave {
    var objects = self.rows(rows)
    let isBatch = objects.count > 1 || random.chance(2)
    var names = entity.attributes.filter(\.type.isScalar).map(\.name)
    var picked: [String] = []
    for _ in 0..<random.number(1...2) where !names.isEmpty {
      picked.append(names.remove(at: random.number(0...names.count - 1)))
    }
    let split =
      isBatch ? random.number(0...(random.chance(20) ? picked.count : picked.count - 1)) : 0
    let equal = Array(picked.prefix(split))
    if !random.chance(12) {
      for name in equal { for index in objects.indices { objects[index][name] = objects[0][name] } }
    }
    return RandomStep.MatchSave(
      rows: objects, equal: equal, contain: Array(picked.dropFirst(split)), isBatch: isBatch,
      onMissing: random.pick([.insert, .insert, .ignore, .throw]),
      matches: random.pick([.all, .all, .first, .one]), merge: merge())
  }

  private mutating func patch(_ rows: [NaiveRow]) -> RandomStep.Patch {
    let object = row(rows)
    let isByKey = !entity.key.isEmpty && random.chance(2)
    var equalities: NaiveRow = [:]
    // UUIDs that are made where none is given are not to be foreseen.
    let needsKey = entity.keySource == .uuidV4 || entity.keySource == .uuidV7
    if isByKey || needsKey || !entity.key.isEmpty && random.chance(3) {
      for name in entity.key { equalities[name] = object[name] }
    }
    if !isByKey {
      for attribute in entity.plainAttributes where random.chance(3) {
        equalities[attribute.name] = object[attribute.name]
      }
    }
    var changes: NaiveRow = [:]
    for attribute in entity.plainAttributes where random.chance(2) {
      changes[attribute.name] =
        random.chance(8) ? .null : RandomValue.value(attribute.type, &random)
    }
    if random.chance(30), let name = entity.key.first { changes[name] = object[name] }
    return RandomStep.Patch(
      equalities: equalities, isByKey: isByKey, changes: changes,
      onMissing: random.pick([.throw, .ignore, .insert, .insert]))
  }

  private mutating func selection(_ rows: [NaiveRow]) -> RandomStep.Selection {
    var selection = RandomStep.Selection(condition: condition(depth: 2))
    if random.chance(3) {
      selection.order = order()
      selection.limit = random.chance(4) ? nil : random.number(0...4)
      selection.offset = random.chance(2) ? 0 : random.number(0...3)
    }
    return selection
  }

  private mutating func changes() -> [String: Operand] {
    var changes: [String: Operand] = [:]
    for _ in 0..<random.number(0...2) where !entity.plainAttributes.isEmpty {
      let attribute = random.pick(entity.plainAttributes)
      changes[attribute.name] = change(of: attribute)
    }
    return changes
  }

  private mutating func change(of attribute: AttributeDescription) -> Operand {
    if random.chance(3) {
      return random.chance(6)
        ? .value(.null) : .value(RandomValue.value(attribute.type, &random))
    }
    let own = Operand.attribute(attribute.name)
    switch attribute.type.kind {
    case .int, .unsigned:
      return .arithmetic(
        random.pick([.add, .subtract, .multiply, .divide]), own,
        random.chance(3) ? number(.whole, depth: 1) : .value(.int(Int64(random.number(-2...3)))))
    case .double:
      return .arithmetic(
        random.pick([.add, .subtract, .multiply, .divide, .power]), own,
        random.chance(2) ? .value(.double(0.5)) : .value(.int(Int64(random.number(-2...3)))))
    case .decimal:
      return .arithmetic(random.pick([.add, .multiply, .divide]), own, number(.exact, depth: 0))
    case .date: return .arithmetic(.add, own, .value(.double(0.5)))
    case .string: return .function(random.pick([.uppercase, .lowercase]), own)
    default: return .value(RandomValue.value(attribute.type, &random))
    }
  }

  private mutating func deletion(_ rows: [NaiveRow]) -> RandomStep {
    if random.chance(6) { return .deleteAll }
    if !entity.key.isEmpty, random.chance(2) {
      return .deleteKeys(
        (0..<random.number(1...3)).map { _ in row(rows).list(entity.key) })
    }
    var selection = selection(rows)
    selection.isFirst = true
    return .delete(selection)
  }
}
