internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clause 7.5: nothing that the program still declares seems to be gone.
  static let schemaChanges: [ConformanceCase] = [
    ConformanceCase(
      "a relationship that was not declared for a while has its links or is refused", "7.5"
    ) { context in
      func models(_ left: LinkForm.End?, _ right: LinkForm.End?) -> any LinkModels {
        LinkForm(left: left, right: right, storage: .plain).models
      }
      let oneWay = models(.many, nil)
      let links = NaiveLinks(LinkForm(left: .many, right: nil, storage: .plain))
      var store = try context.open(try oneWay.schema())
      try oneWay.fill(store, links)
      store = try context.reopen(store, try models(nil, .one).schema())
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, try models(.many, .one).schema())
      }
      try context.expectEqual(error.failures.flatMap(\.attributes), ["r"])
      store = try context.reopen(store, try oneWay.schema())
      try context.expectEqual(try oneWay.targets(store), links.targets)
    },
    ConformanceCase("an attribute and a relationship do not take each other's name", "7.5") {
      context in
      let form = LinkForm(left: .one, right: nil, storage: .plain)
      let (oneWay, links) = (form.models, NaiveLinks(form))
      var store = try context.open(try oneWay.schema())
      try oneWay.fill(store, links)
      let plain = try Schema(entities: [
        EntityDescription(
          name: "Left",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription("r", .string, isOptional: true),
          ], key: ["id"])
      ])
      var error = try context.expectError(.schemaMismatch) { try context.reopen(store, plain) }
      try context.expectEqual(error.failures.map(\.attributes), [["r"]])
      store = try context.reopen(store, try oneWay.schema())
      try context.expectEqual(try oneWay.targets(store), links.targets)
      let other = try context.open(plain)
      try other.write { try $0.insert([DynamicRow("Left", ["id": .int(1), "r": .string("a")])]) }
      error = try context.expectError(.schemaMismatch) {
        try context.reopen(other, try oneWay.schema())
      }
      try context.expectEqual(error.failures.map(\.attributes), [["r"]])
    },
    ConformanceCase("a name that is another in the store is a difference", "7.5") { context in
      let store = try context.open(try bed())
      try store.write { try $0.insert([DynamicRow("Flower", ["id": .int(1), "hue": .int(7)])]) }
      let renamed: [(Schema, [String])] = [
        (try bed(hue: "colour"), ["hue"]), (try bed(flower: "blossom"), []),
        (try bed(flower: "blossom", hue: "colour"), []),
      ]
      for (schema, attributes) in renamed {
        let error = try context.expectError(.schemaMismatch) { try context.reopen(store, schema) }
        try context.expectEqual(error.failures.map(\.entity), ["Flower"])
        try context.expectEqual(error.failures.flatMap(\.attributes), attributes)
      }
      let title = AttributeDescription("colour", .int64, storedName: "hue", isOptional: true)
      let again = try context.reopen(store, try bed(attribute: title))
      let rows = try again.read { try $0.fetch(DynamicQuery("Flower")) }
      try context.expectSame(rows.map { $0["colour"] }, [.int(7)], "renamed in the program alone")
    },
    ConformanceCase("a program older than the store's schema is refused", "7.5", "7.3") { context in
      var store = try context.open(try bed(version: 2))
      try store.write { try $0.insert([DynamicRow("Flower", ["id": .int(1), "hue": .int(7)])]) }
      let older = AttributeDescription("shade", .int64, isOptional: true)
      for version in [1, nil] {
        for schema in [try bed(version: version), try bed(attribute: older, version: version)] {
          for isReadOnly in [false, true] {
            var options = StoreOptions()
            options.isReadOnly = isReadOnly
            let error = try context.expectError(.schemaTooNew) {
              try context.reopen(store, schema, options: options)
            }
            try context.expect(error.message.contains("version 2"), "the version that would do")
          }
        }
      }
      store = try context.reopen(store, try bed(version: 2))
      try context.expectEqual(store.schema.version, 2)
      store = try context.reopen(
        store,
        try bed(
          rules: [
            ValidationRule("any", attributes: [], format: "id > 0", message: "must be positive")
          ], version: 3)
      )
      try context.expectError(.schemaTooNew) { try context.reopen(store, try bed(version: 2)) }
      store = try context.reopen(store, try bed(attribute: older, version: 4))
      let rows = try store.read { try $0.fetch(DynamicQuery("Flower")) }
      try context.expectSame(rows.map { $0["shade"] }, [.null], "added by the newer program alone")
      var strict = StoreOptions()
      strict.schemaPolicy = .strict
      try context.expectError(.schemaMismatch) {
        try context.reopen(store, try bed(attribute: older, version: 5), options: strict)
      }
    },
    ConformanceCase("a store without a version takes one", "7.5") { context in
      var store = try context.open(try bed())
      store = try context.reopen(store, try bed(version: 1))
      try context.expectError(.schemaTooNew) { try context.reopen(store, try bed()) }
      store = try context.reopen(store, try bed(version: 1))
      try context.expectEqual(try store.ids("Flower", .constant(true)), [])
    },
    ConformanceCase("a unique rule that rows break is schemaMismatch", "7.5", "8.1") { context in
      let name = AttributeDescription("name", .string, isOptional: true)
      let byName = IndexDescription([.caseInsensitive("name")], isUnique: true)
      let byHue = IndexDescription(["hue"], isUnique: true)
      let both = IndexDescription(["name", "hue"], isUnique: true)
      var store = try context.open(try bed(attribute: name))
      try store.write {
        try $0.insert([
          DynamicRow("Flower", ["id": .int(1), "hue": .int(77), "name": .string("secret")]),
          DynamicRow("Flower", ["id": .int(2), "hue": .int(77), "name": .string("SECRET")]),
          DynamicRow("Flower", ["id": .int(3)]), DynamicRow("Flower", ["id": .int(4)]),
        ])
      }
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, try bed(attribute: name, indexes: [both, byName, byHue]))
      }
      try context.expectEqual(
        error.failures.map { ($0.attributes + [$0.entity ?? "", "\($0.code)"]) },
        [["name", "Flower", "schemaMismatch"], ["hue", "Flower", "schemaMismatch"]])
      let texts = error.failures.map { "\($0)".lowercased() }.joined()
      try context.expect(!texts.contains("secret") && !texts.contains("77"), texts)
      store = try context.reopen(store, try bed(attribute: name, indexes: [both]))
      try context.expectEqual(try store.ids("Flower", .constant(true)), [1, 2, 3, 4])
    },
  ]
}

extension ConformanceCase {
  /// Clause 8.1: errors about a store name the store and the remedy.
  static let errorTexts: [ConformanceCase] = [
    ConformanceCase("errors about a store name it and say what to do next", "8.1") { context in
      var options = StoreOptions()
      // In it, a server has to give a connection for each writer that may run.
      options.writerWait = .seconds(2)
      let store = try context.open(try bed(), options: options)
      let name = store.runtime.name
      var errors: [StoreError] = []
      let held = try HeldWriter(store) { _ in }
      errors.append(try context.expectError(.busy) { try store.write { _ in } })
      try held.finish()
      let declared = AttributeDescription("size", .int64)
      errors.append(
        try context.expectError(.schemaMismatch) {
          try context.reopen(store, try bed(attribute: declared))
        })
      try store.close()
      errors.append(try context.expectError(.closed) { try store.read { _ in } })
      try context.expectEqual(errors.map(\.code), [.busy, .schemaMismatch, .closed])
      for error in errors {
        let named = try context.unwrap(error.store, "\(error)")
        // A store that cannot be opened again is named as it was in the call.
        if error.code != .schemaMismatch { try context.expectEqual(named, name) }
        let advice = try context.unwrap(error.recoverySuggestion, "\(error.code)")
        for text in ["\(error)", error.localizedDescription] {
          try context.expect(text.contains(named), text)
        }
        try context.expect("\(error)".contains(advice), "\(error)")
      }
    },
    ConformanceCase("a broken rule is reported once", "8.1") { context in
      let rule = ValidationRule(
        "small", attributes: ["hue"], format: "hue <= 9", message: "the hue is at most 9")
      let store = try context.open(try bed(rules: [rule]))
      let error = try context.expectError(.validationFailed) {
        try store.write { try $0.insert([DynamicRow("Flower", ["id": .int(1), "hue": .int(10)])]) }
      }
      for text in ["\(error)", error.localizedDescription] {
        try context.expectEqual(text.components(separatedBy: rule.message).count, 2, text)
      }
    },
  ]
}

/// A schema of flowers with a hue, under names in the store that may be others.
private func bed(
  flower: String? = nil, hue: String? = nil, attribute: AttributeDescription? = nil,
  indexes: [IndexDescription] = [], rules: [ValidationRule] = [], version: Int? = nil
) throws -> Schema {
  let attributes = [
    AttributeDescription("id", .int64),
    AttributeDescription("hue", .int64, storedName: hue, isOptional: true),
  ]
  return try Schema(
    entities: [
      EntityDescription(
        name: "Flower", storedName: flower,
        attributes: attribute?.storedName == "hue"
          ? [attributes[0]] + [attribute].compactMap { $0 }
          : attributes + [attribute].compactMap { $0 },
        key: ["id"], indexes: indexes, rules: rules)
    ], version: version)
}
