internal import ORM
internal import ORMCore

/// The operations of clause 5, each whole or not at all.
extension NaiveModel {
  /// The result of a put.
  struct Puts {
    var counts = SaveCounts()
    var keys: [[StoredValue]] = []
  }

  /// Writes rows by key; an attribute that a row does not name keeps its stored value, or takes its
  /// default where the row is new.
  ///
  /// A nil value does so too, where nil keeps.
  mutating func put(
    _ given: [NaiveRow], _ mode: PutRequest.Mode, nilKeeps: Bool = false
  ) throws -> Puts {
    var model = self
    var puts = Puts()
    var faults = NaiveFaults()
    for row in given { model.put(row, mode, nilKeeps, &puts, &faults) }
    // Unique rules hold at the end of the operation.
    model.checkUniqueRules(&faults)
    try faults.check()
    self = model
    return puts
  }

  private mutating func put(
    _ given: NaiveRow, _ mode: PutRequest.Mode, _ nilKeeps: Bool, _ puts: inout Puts,
    _ faults: inout NaiveFaults
  ) {
    let before = faults.faults.count
    checkValues(given, &faults)
    var given = stored(row: given)
    var key = key(of: given)
    let wantsKey = entity.givesKeys && (key[0].isNull || NaiveOrder.equals(key[0], .int(0)))
    let found = wantsKey ? nil : index(of: key)
    if let found, mode == .insertMissing {
      puts.counts.unchanged += 1
      puts.keys.append(self.key(of: rows[found]))
      return
    }
    if found != nil, mode == .insert { faults.add(.duplicate, entity.keyNames) }
    if found == nil, mode == .update { faults.add(.notFound) }
    if wantsKey {
      guard let next = nextKey else { return faults.add(.keysExhausted) }
      key = [.int(next)]
      given[entity.keyNames[0]] = key[0]
    }
    var row = mode == .insert ? entity.defaults : found.map { rows[$0] } ?? entity.defaults
    for (name, value) in given where !(nilKeeps && value.isNull) { row[name] = value }
    if entity.attributes.contains(where: { !$0.isOptional && row[$0.name, default: .null].isNull })
    {
      faults.add(.missingValue)
    }
    guard faults.faults.count == before else {
      // A store may report another rule that the row would break.
      return checkUniqueRules(of: row, &faults)
    }
    puts.keys.append(key)
    if let found, rows[found].isSame(as: row) {
      puts.counts.unchanged += 1
    } else if found != nil {
      puts.counts.updated += 1
    } else {
      puts.counts.inserted += 1
    }
    set(row)
  }

  private func checkValues(_ row: NaiveRow, _ faults: inout NaiveFaults) {
    for (name, value) in row {
      guard let attribute = entity.attributes.first(where: { $0.name == name }) else {
        if name != EntityDescription.hiddenKeyName { faults.add(.unknownAttribute, [name]) }
        continue
      }
      if let code = attribute.fault(of: value) { faults.add(code) }
    }
  }

  /// Sets attributes of rows to values computed from the rows as they were.
  mutating func update(_ selected: [NaiveRow], _ changes: [String: Operand]) throws -> Int {
    var model = self
    var faults = NaiveFaults()
    for (name, value) in changes {
      if entity.keyNames.contains(name) { faults.add(.invalidValue) }
      guard case .value(let value) = value,
        let attribute = entity.attributes.first(where: { $0.name == name })
      else { continue }
      if let code = attribute.fault(of: value) { faults.add(code) }
    }
    try faults.check()
    for row in selected {
      var new = row
      for (name, operand) in changes {
        guard let attribute = entity.attributes.first(where: { $0.name == name }) else { continue }
        do {
          var evaluator = NaiveEvaluator(entity: entity, row: row)
          evaluator.throwsOverflow = true
          var value = try evaluator.value(operand)
          if case .value = operand {} else { value = attribute.computed(value) }
          if let code = attribute.fault(of: value) { faults.add(code) }
          new[name] = attribute.isNormalized ? value.inCanonicalForm : value
        } catch let error as StoreError {
          faults.add(error.code)
        }
      }
      model.set(new)
    }
    if faults.faults.isEmpty { model.checkUniqueRules(&faults) }
    try faults.check()
    self = model
    return selected.count
  }
}

extension NaiveRow {
  func isSame(as other: NaiveRow) -> Bool {
    keys == other.keys && allSatisfy { $1.isIdentical(to: other[$0] ?? .null) }
  }
}

extension EntityDescription {
  /// The values of a new row where nothing is set.
  var defaults: NaiveRow {
    var row: NaiveRow = [:]
    for attribute in attributes {
      if case .value(let value) = attribute.defaultValue {
        row[attribute.name] = attribute.isNormalized ? value.inCanonicalForm : value
      } else {
        row[attribute.name] = .null
      }
    }
    return row
  }
}

extension AttributeDescription {
  /// A computed value as the attribute keeps it: a float is the nearest one.
  fileprivate func computed(_ value: StoredValue) -> StoredValue {
    guard case .float = type, case .double(let number) = value else { return value }
    return .double(Double(Float(number)))
  }

  /// Returns the code of the fault of a value for the attribute; nil when it fits.
  func fault(of value: StoredValue) -> StoreError.Code? {
    if value.isNull { return isOptional ? nil : .missingValue }
    return Self.fits(value, type) ? nil : .invalidValue
  }

  private static func fits(_ value: StoredValue, _ type: AttributeType) -> Bool {
    if NaiveOrder.isNaN(value) { return false }
    switch (type, value) {
    case (.array(let element), .array(let elements)):
      return elements.allSatisfy { !$0.isNull && fits($0, element) }
    case (.float, .double(let number)): return number.isInfinite || Double(Float(number)) == number
    case (.uint64, .int(let number)): return number >= 0
    case (.uint64, .uint): return true
    case (.int8, .int(let number)): return Int8(exactly: number) != nil
    case (.int16, .int(let number)): return Int16(exactly: number) != nil
    case (.int32, .int(let number)): return Int32(exactly: number) != nil
    case (.uint8, .int(let number)): return UInt8(exactly: number) != nil
    case (.uint16, .int(let number)): return UInt16(exactly: number) != nil
    case (.uint32, .int(let number)): return UInt32(exactly: number) != nil
    case (.int64, .int), (.bool, .bool), (.double, .double), (.string, .string), (.data, .data),
      (.date, .date), (.uuid, .uuid), (.decimal, .decimal):
      return true
    // Of JSON the random runs have one text that is none.
    case (.json, .json(let text)): return text != "{"
    default: return false
    }
  }
}
