enum Size: String, AttributeValue {
  case small, large, other
}

// SNIPPET
