#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  extension ModelReader {
    mutating func read(variable: VariableDeclSyntax) {
      let marks = Mark.all(of: variable)
      guard variable.isOfInstance else {
        if let mark = marks.first { report(mark.syntax, .markOfStatic(mark.name)) }
        if let own = variable.bindings.lazy.compactMap(\.name).first(where: { $0.text == "entity" })
        {
          report(own, .ownMember("entity"))
        }
        return
      }
      let isKeyAndLink =
        marks.count == 2 && marks.contains { $0.kind == .primaryKey }
        && marks.contains { $0.kind == .relationship }
      if marks.count > 1, !isKeyAndLink {
        report(marks[1].syntax, .twoMarks(marks[0].name, marks[1].name))
        return
      }
      let bindings = Array(variable.bindings)
      for (index, binding) in bindings.enumerated() {
        guard binding.isStored else {
          if let mark = marks.first, mark.kind != .transient {
            report(mark.syntax, .markOfComputed(mark.name))
          }
          continue
        }
        guard let name = binding.name else {
          report(binding.pattern, .tuple)
          continue
        }
        // In `var a, b: Int` the type follows the last.
        let type =
          binding.typeAnnotation?.type
          ?? (binding.initializer == nil
            ? bindings[index...].lazy.compactMap(\.typeAnnotation?.type).first : nil)
        let property = StoredProperty(
          name: name, type: type, value: binding.initializer?.value, binding: binding,
          variable: variable)
        guard isKeyAndLink, case .link(.toOne) = PropertyType(property) else {
          if isKeyAndLink {
            report(marks[1].syntax, .twoMarks(marks[0].name, marks[1].name))
          } else {
            read(property, marks.first)
          }
          continue
        }
        readLink(
          property, .toOne, marks.first { $0.kind == .relationship },
          key: marks.first { $0.kind == .primaryKey })
      }
    }

    private mutating func read(_ property: StoredProperty, _ mark: Mark?) {
      checkName(property, isStored: mark?.kind != .transient)
      if property.name.text.unquoted == "id", mark?.kind != .primaryKey {
        otherID = (property, isMarked: mark != nil)
      }
      if mark?.kind == .transient {
        readTransient(property)
        return
      }
      if let modifier = property.variable.modifiers.first(where: {
        [.lazy, .weak, .unowned].map(TokenKind.keyword).contains($0.name.tokenKind)
      }) {
        let fixIts: [FixIt] = mark == nil ? [.mark("@Transient", property.variable)] : []
        report(modifier, .notStored(modifier.name.text), fixIts)
        return
      }
      if property.isLet, property.value != nil {
        report(
          property.variable.bindingSpecifier, .constant(property.name.text),
          [.makeVar(property.variable)]
            + (mark == nil ? [.mark("@Transient", property.variable)] : []))
        return
      }
      switch PropertyType(property) {
      case .unknown:
        report(property.name, .noType(property.name.text), [.addType(property)])
      case .noValue(let type, let what):
        report(
          type, .noValue(what), mark == nil ? [.mark("@Transient", property.variable)] : [])
      case .dictionary(let type) where mark?.isJSON != true:
        report(
          type, .dictionary, mark == nil ? [.mark("@Attribute(.json)", property.variable)] : [])
      case .optionalLink(let type, let wrapped, let word):
        let clearing = property.value.flatMap { $0.clearsLinks ? $0 : nil }
        report(
          type, .optionalLink(word),
          [
            clearing.map { .removeQuestionMark(type, keeping: wrapped, and: $0, with: "\(word)()") }
              ?? .removeQuestionMark(type, keeping: wrapped)
          ])
      case .link(let link):
        readLink(property, link, mark)
      case .value, .dictionary:
        readValue(property, mark)
      }
    }

    private mutating func readTransient(_ property: StoredProperty) {
      let isNilByItself = !property.isLet && property.isOptional
      guard property.value == nil, !isNilByItself,
        !property.variable.modifiers.contains(.lazy), !property.variable.modifiers.contains(.weak)
      else { return }
      report(property.name, .transientWithoutValue(property.name.text), [.addValue(property)])
    }

    private mutating func readValue(_ property: StoredProperty, _ mark: Mark?) {
      if let mark, mark.kind == .relationship {
        report(mark.syntax, .noLink(property.name.text))
      } else if let mark, mark.kind == .primaryKey {
        readKey(property, mark)
      } else if let mark, mark.kind == .embedded {
        readEmbedded(property, mark)
      } else if let mark, mark.kind == .derived {
        readDerived(property, mark)
      } else {
        if let mark { checkOptions(mark, of: property) }
        let isJSON = mark?.isJSON == true
        checkNils(property, isJSON: isJSON)
        checkDefault(of: property, mark)
        add(
          property, mark, attributeKind(of: property, mark),
          origin: isJSON || isPlain(property, mark) ? nil : origin(of: property))
      }
    }

    private mutating func readEmbedded(_ property: StoredProperty, _ mark: Mark) {
      guard let type = property.type else {
        report(property.name, .noType(property.name.text), [.addType(property)])
        return
      }
      let wrapped = type.withoutOptional
      guard !wrapped.is(ArrayTypeSyntax.self),
        !PropertyType.scalars.contains(wrapped.trimmedDescription)
      else {
        report(mark.syntax, .noStruct(property.name.text))
        return
      }
      let name = wrapped.trimmedDescription
      let count = property.isOptional ? "Optional<\(name)>.columnCount" : "\(name).columnCount"
      add(
        property, mark,
        .embedded(
          arguments: mark.labeled("storedName").map { ["storedName: \($0)"] } ?? [],
          count: count), origin: origin(of: wrapped))
    }

    private func attributeKind(of property: StoredProperty, _ mark: Mark?) -> Model.Kind {
      var options = mark?.options.map(\.trimmedDescription) ?? []
      if mark?.isJSON == true {
        return .json(options: mark?.labeled("storedName").map { ["storedName: \($0)"] } ?? [])
      }
      // A literal is the default in the store too, so that the attribute can be added to a store whose
      // rows lack it. An expression may have another value each time, and managed attributes take none.
      if let value = property.value, value.isPlainLiteral,
        !(mark?.options ?? []).contains(where: \.decidesDefault)
      {
        options.append(".default(\(value.trimmedDescription))")
      }
      let fallback = mark?.options.lazy.compactMap {
        $0.fallback(of: property.type)
      }.first
      return .attribute(options: options, fallback: fallback)
    }

    private mutating func readKey(_ property: StoredProperty, _ mark: Mark) {
      keys.append(KeyProperty(property: property, mark: mark.syntax, target: nil))
      // Parts of a key with to-ones among them; whether there are some is known at the end.
      if keyMark != nil {
        add(property, mark, .key(options: mark.options.map(\.trimmedDescription)))
        return
      }
      keyMark = mark.syntax
      if property.isLet {
        report(property.variable.bindingSpecifier, .keyIsLet, [.makeVar(property.variable)])
      }
      if property.name.text.unquoted != "id" {
        namedKey = property
        // `id` is made of the type that is written here.
        if property.type == nil {
          report(property.name, .noType(property.name.text), [.addType(property)])
        }
      }
      if let optional = property.type?.as(OptionalTypeSyntax.self) {
        report(
          optional.questionMark, .optionalKey,
          [.removeQuestionMark(TypeSyntax(optional), keeping: optional.wrappedType)])
      }
      let isComposite = readCompositeKey(property, mark)
      if !isComposite {
        let options = mark.options.map(\.trimmedDescription)
        checkSource(mark, of: property)
        checkKeyType(property)
        add(
          property, mark, .key(options: options),
          origin: isPlain(property, nil) ? nil : origin(of: property))
      }
    }

    /// `id` is the key, or stands for it.
    mutating func checkID() {
      guard let (property, isMarked) = otherID else { return }
      let linked = keys.contains { $0.target != nil } ? keys : []
      if let key = namedKey?.name.text ?? linked.first?.property.name.text {
        report(property.name, .otherID(key))
      } else if !isMarked, PropertyType(property).isValue {
        report(
          property.name, .unmarkedID,
          [.mark("@PrimaryKey", property.variable), .mark("@Attribute", property.variable)])
      }
    }

    private mutating func checkSource(_ mark: Mark, of property: StoredProperty) {
      guard let type = property.type?.trimmedDescription, PropertyType.scalars.contains(type)
      else { return }
      for option in mark.options {
        switch option.trimmedDescription {
        case ".generated" where !["Int64", "Int"].contains(type):
          report(option, .generatedKey(type))
        case ".uuidV4" where type != "UUID", ".uuidV7" where type != "UUID":
          report(option, .uuidKey(type))
        default: continue
        }
      }
    }

    mutating func add(
      _ property: StoredProperty, _ mark: Mark?, _ kind: Model.Kind,
      origin: Model.SourceOrigin? = nil
    ) {
      let name = mark?.labeled("name") ?? "\"\(property.name.text.unquoted)\""
      properties.append(
        .init(code: property.name.text, name: name, kind: kind, origin: origin))
    }
  }

  extension PatternBindingSyntax {
    /// The name of a single variable; nil for a tuple.
    var name: TokenSyntax? { pattern.as(IdentifierPatternSyntax.self)?.identifier }
  }
#endif
